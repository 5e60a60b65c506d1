import { lstat, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { SCENARIO_FILE_BYTES } from "../../../domain/defaults.ts";
import { errorCode, Failure, wordsOf } from "../../../domain/failure.ts";
import { sha256 } from "../../../domain/sha256.ts";
import { systemEntropy } from "../../../runtime/clock.ts";
import { withNotes } from "../draft/noted-document.ts";
import { writeWhole } from "../make-scenario.ts";

/** The first line of each: a file without it was written by somebody, and is not replaced. */
const MARK = "# A request made this scenario, and requests may replace it. Without this line none does.\n";

/** @throws Failure `body_too_large` */
export function scenarioText(definition: object): string {
  const text = `${MARK}${withNotes(definition, [])}`;
  const bytes = Buffer.byteLength(text);
  if (bytes <= SCENARIO_FILE_BYTES) return text;
  const limit = `${SCENARIO_FILE_BYTES / 1024} KiB`;
  throw new Failure("body_too_large", `the scenario has ${Math.ceil(bytes / 1024)} KiB, and may have ${limit}`);
}

/** Names a text: the same for the same. */
export const versionOf = (text: string): string => sha256(text).slice(0, 32);

/**
 * Writes a new scenario in place of nothing, or of the version that the caller knows, whole or not at all.
 * @param expected null: there must be none
 * @throws Failure `precondition_failed` when it is not what was expected, `not_allowed` for what no request made
 */
export async function writeScenario(
  directory: string,
  { name, text, expected }: { readonly name: string; readonly text: string; readonly expected: string | null },
): Promise<void> {
  const at = resolve(directory);
  const file = join(at, `${name}.yaml`);
  try {
    if (expected !== null) return await replace(file, text, expected);
    await writeWhole({ file, name, directory: at, material: join(at, name) }, async (staging) => {
      await writeFile(join(staging, basename(file)), text);
    });
  } catch (error) {
    if (error instanceof Failure) throw error;
    if (errorCode(error) === "EEXIST") throw taken(name);
    throw new Failure("storage_failed", `${basename(file)} cannot be written: ${wordsOf(error)}`, { cause: error });
  }
}

async function replace(file: string, text: string, expected: string): Promise<void> {
  const name = basename(file, ".yaml");
  // A link would lead to a file that nobody named.
  const isFile = await lstat(file).then(
    (stats) => stats.isFile(),
    () => false,
  );
  const before = isFile ? await readFile(file, "utf8") : undefined;
  if (before === undefined) throw changed(name);
  if (!before.startsWith(MARK)) throw byHand(name);
  if (versionOf(before) !== expected) throw changed(name);
  const fresh = `${file}.${systemEntropy(4)}.tmp`;
  try {
    await writeFile(fresh, text, { flag: "wx" });
    await rename(fresh, file);
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
}

export const taken = (name: string) =>
  new Failure("precondition_failed", `there is a scenario ${name}; choose another name, or replace it with If-Match`);

export const changed = (name: string) =>
  new Failure("precondition_failed", `${name} is no longer what If-Match names; read its source again`);

export const byHand = (name: string) =>
  new Failure("not_allowed", `${name} is a file that no request made, and none replaces it; choose another name`);
