import { lstatSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "../../domain/failure.ts";
import { sha256 } from "../../domain/sha256.ts";
import { type Skill, skillAt } from "../../domain/skill.ts";
import { RunReader, runsText, type WordRun } from "../../domain/word-runs.ts";
import { Pace } from "../../runtime/pace.ts";
import { isPlainPath } from "../sandbox/plain-path.ts";
import type { Owner } from "../sandbox/sandbox.ts";
import { isOutOfReach } from "./io-failure.ts";
import { layOver, overlaidPaths } from "./lay-over.ts";
import { decodedText, readRegular } from "./tree/contents.ts";
import { parentsOf, type TreeEntry } from "./tree/walk.ts";
import type { FileSource, WorkspaceNotes } from "./workspace.ts";

/** The files of one arm that lie in its workspace and are no part of its work. */
export interface LaidNotes {
  readonly paths: readonly string[];
  /** Directories that there were only for them. */
  readonly made: ReadonlySet<string>;
  readonly skills: readonly Skill[];
  /** Whether a path is one of them, or lies where one of them was. */
  readonly has: (path: string) => boolean;
  /** As they are now. */
  readonly seen: (root: string) => Promise<WorkspaceNotes>;
}

interface Laying {
  readonly root: string;
  readonly source: FileSource;
  /** What the fixture has, directories too. */
  readonly entries: readonly TreeEntry[];
  readonly owner: Owner | null;
}

/**
 * Lays an arm's own files over its workspace.
 * @throws Failure `invalid_request` where one would take the place of a directory, or they hold too much text
 */
export async function layNotes({ root, source, entries, owner }: Laying): Promise<LaidNotes> {
  const paths = (await overlaidPaths(source)).toSorted();
  const kinds = new Map(entries.map(({ path, kind }) => [path, kind]));
  for (const path of paths) {
    const taken = kinds.get(path) === "directory" ? path : parentsOf(path).find((one) => isNoDirectory(kinds.get(one)));
    if (taken !== undefined) throw refused(`${path} cannot lie where the fixture has ${taken}`);
  }
  await layOver(root, source, owner);
  const { digests, runs } = await readAll(root, paths);
  const at = new Set(paths);
  const made = [...new Set(paths.flatMap(parentsOf))].filter((path) => !kinds.has(path)).toSorted();
  const notes = { paths, made, runs: runsText(runs) };
  return {
    paths,
    skills: await skillsAt(root, paths),
    has: (path) => at.has(path) || parentsOf(path).some((parent) => at.has(parent)),
    made: new Set(made),
    seen: async (now) => ({ notes, changed: await changedAt(now, digests) }),
  };
}

const refused = (why: string) => new Failure("invalid_request", `the arm's own files: ${why}`);

const isNoDirectory = (kind: TreeEntry["kind"] | undefined) => kind !== undefined && kind !== "directory";

interface Laid {
  readonly digest: string;
  readonly bytes: number;
}

/** Bytes of text among an arm's own files: abeval looks for this text in what the judge reads. */
const NOTE_TEXT_BYTES = 2_000_000;

async function readAll(root: string, paths: readonly string[]) {
  const pace = new Pace();
  const digests = new Map<string, Laid>();
  const runs = new Set<WordRun>();
  let text_bytes = 0;
  for (const path of paths) {
    const bytes = readRegular(root, path, lstatSync(join(root, path)).size) ?? new Uint8Array();
    digests.set(path, { digest: sha256(bytes), bytes: bytes.length });
    await pace.bytes(bytes.length);
    const text = decodedText(bytes);
    if (text === undefined) continue;
    text_bytes += bytes.length;
    if (text_bytes > NOTE_TEXT_BYTES)
      throw refused(
        `they hold more than ${NOTE_TEXT_BYTES / 1e6} MB of text; agent.files, in the agent's home, may hold more`,
      );
    const reader = new RunReader();
    for (const line of text.split("\n")) {
      for (const run of reader.line(line)) runs.add(run);
      await pace.bytes(line.length * READING_COST);
    }
  }
  return { digests, runs };
}

/** Reading the words of a character takes as long as reading so many bytes. */
const READING_COST = 20;

async function changedAt(root: string, laid: ReadonlyMap<string, Laid>): Promise<readonly string[]> {
  const pace = new Pace();
  const changed: string[] = [];
  for (const [path, { digest, bytes }] of laid) {
    await pace.bytes(bytes);
    if (digestAt(root, path, bytes) !== digest) changed.push(path);
  }
  return changed;
}

/** Null when no regular file of that size stands there. The arm may have put anything in its way. */
function digestAt(root: string, path: string, size: number): string | null {
  try {
    if (!isPlainPath(root, path) || lstatSync(join(root, path)).size !== size) return null;
    const bytes = readRegular(root, path, size);
    return bytes === undefined ? null : sha256(bytes);
  } catch (error) {
    if (isOutOfReach(error)) return null;
    throw error;
  }
}

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
