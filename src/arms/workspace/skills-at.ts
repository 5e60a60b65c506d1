import { type Skill, skillAt } from "../../domain/skill.ts";
import { Pace } from "../../runtime/pace.ts";
import { decodedText, readRegular } from "./tree/contents.ts";

/** Skills that are read, and bytes of each: what a call showed of one stands near its beginning. */
const MOST_READ = 500;
const READ_BYTES = 64 * 1024;

/** The skills among some files of a directory, before an arm can have changed them. */
export async function skillsAt(root: string, paths: readonly string[]): Promise<readonly Skill[]> {
  const pace = new Pace();
  const skills: Skill[] = [];
  for (const path of paths) {
    if (skills.length >= MOST_READ) break;
    const found = skillAt(path, () => decodedText(readRegular(root, path, READ_BYTES) ?? new Uint8Array()) ?? "");
    if (found) skills.push(found);
    await pace.bytes(found?.text.length ?? path.length);
  }
  return skills;
}
