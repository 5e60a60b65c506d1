import { basename, dirname } from "node:path/posix";
import { isPlaceOfTasks } from "../../../domain/mount-point.ts";
import { saidTo } from "../../../domain/task.ts";
import { Pace } from "../../../runtime/pace.ts";
import type { DryRun } from "./dry-run.ts";
import { hiddenFiles } from "./leaks.ts";

/** A text of a probe that names paths. */
interface ProbeText {
  /** A check's id, or the path of a hidden file. */
  readonly name: string;
  readonly text: string;
  /** Where its relative paths may begin, but for the workspace. */
  readonly beside: string;
}

/** What each command finds empty, and may fill. */
const OF_EACH_COMMAND = ["/tmp", "/home/agent"];

/** Characters of a text, and of all texts, that are looked through. */
const TEXT_CHARS = 256_000;
const ALL_CHARS = 4_000_000;

/** Different paths that are compared with what is known, and those that are looked for. */
const MOST_COMPARED = 5_000;
const MOST_PATHS = 500;

/**
 * The paths that checks and hidden files name, and that are nowhere: not in the workspace after setup, not around it, not among the
 * hidden files. What the arms are told to make counts as there.
 */
export async function pathsNowhere(dryRun: DryRun, signal: AbortSignal): Promise<readonly string[]> {
  const { task, arms } = dryRun.loaded.definition;
  const hidden = await hiddenFiles(dryRun.loaded);
  const asked = saidTo(task, arms).map(({ text }) => text);
  const laid = new Set(hidden.flatMap(({ path }) => [path, basename(path)]));
  const { at } = dryRun.pristine.open();
  const places = Object.entries(task.fixture?.also ?? {}).flatMap(([place, what]) =>
    "private" in what ? [place] : [],
  );
  const own = [...OF_EACH_COMMAND, ...places];
  const texts: readonly ProbeText[] = [
    ...(task.probe?.checks ?? []).map(({ id, run = "" }) => ({ name: id, text: run, beside: "" })),
    ...hidden.map(({ path, text }) => ({ name: path, text, beside: dirname(path) })),
  ];
  const known = (path: string) =>
    laid.has(path) ||
    laid.has(basename(path)) ||
    own.some((place) => isIn(path, place)) ||
    asked.some((text) => text.includes(path) || text.includes(basename(path)));
  const asked_chars = asked.reduce((sum, text) => sum + text.length, 0);
  const named = new Map<string, ProbeText>();
  const compared = new Set<string>();
  const pace = new Pace();
  for await (const [path, text] of pathsNamed(texts, at)) {
    if (compared.size === MOST_COMPARED || named.size === MOST_PATHS) break;
    if (compared.has(path)) continue;
    compared.add(path);
    await pace.bytes(asked_chars);
    signal.throwIfAborted();
    if (!known(path)) named.set(path, text);
  }
  const absent = await lookedFor([...named], dryRun, signal);
  return [...named].flatMap(([path, { name }]) => (absent.has(path) ? [`${path} (${name})`] : []));
}

const isIn = (path: string, place: string) => path === place || path.startsWith(`${place}/`);

/** Paths with the text that names them; those in the workspace are relative to it. */
async function* pathsNamed(texts: readonly ProbeText[], at: string): AsyncGenerator<readonly [string, ProbeText]> {
  const pace = new Pace();
  let left = ALL_CHARS;
  for (const text of texts) {
    const seen = text.text.slice(0, Math.min(TEXT_CHARS, left));
    left -= seen.length;
    for (const match of seen.matchAll(/[\w.@+/-]+/g)) {
      await pace.entry();
      const path = pathIn(seen, { word: match[0], from: match.index });
      if (path !== undefined && isOfTask(path, at))
        yield [isIn(path, at) ? path.slice(at.length + 1) || "." : path, text];
    }
  }
}

const isOfTask = (path: string, at: string) => !path.startsWith("/") || isIn(path, at) || isPlaceOfTasks(path);

/** Endings of files that tests read or run. */
const ENDING =
  /\.(c|cc|cfg|conf|cpp|css|csv|dat|db|go|h|hpp|html|ini|java|jpe?g|js|json|jsonl|jsx|lock|log|md|mjs|out|parquet|pdf|php|png|py|rb|rs|sh|sql|sqlite|svg|tar|toml|ts|tsv|tsx|txt|xml|ya?ml|zip)$/;

/** Characters of a path, and around a word, that are looked at. */
const PATH_CHARS = 200;
const AROUND = 24;

/** What stands before a word that is part of something else, or is only asked for. */
const NO_PATH = /[:$}~*%\\]$|\s-[a-z]\s+["']?$/;
const WRITTEN = /(>>?|\s-o|\btee|\btouch|\bmkdir(\s+-p)?)\s*["']?$/;
const WRITTEN_AFTER = /^["']\s*,\s*["'][wax]/;

/** What a text demands first of all or after other demands. Where something else follows its absence, it is only asked for. */
const DEMANDED = /(?:^|&&)\s*(?:test|\[)\s+-[defrsx]\s+["']?$/;
const OR_ELSE = /^["']?\s*\]?\s*\|\|/;

const isNoPath = (before: string, after: string) =>
  NO_PATH.test(before) || WRITTEN.test(before) || WRITTEN_AFTER.test(after) || /^[*({$:]/.test(after);

/** The path that a word of a text is, or undefined. */
function pathIn(text: string, { word, from }: { readonly word: string; readonly from: number }): string | undefined {
  const path = word.replace(/^(\.\/)+/, "").replace(/[./-]+$/, "");
  if (path.length > PATH_CHARS || path.length < 3 || path.includes("//") || path.split("/").includes(".."))
    return undefined;
  const before = text.slice(Math.max(0, from - AROUND), from);
  const after = text.slice(from + word.length, from + word.length + AROUND);
  const isDemanded = DEMANDED.test(from <= AROUND ? before : `…${before}`) && !OR_ELSE.test(after);
  if (!isDemanded && isNoPath(before, after)) return undefined;
  const isFile = isDemanded || (ENDING.test(path) && (path.includes("/") || /["']$/.test(before)));
  return path.startsWith("/") || (isFile && !path.startsWith("-")) ? path : undefined;
}

/** The paths that a command of the checks does not find. */
async function lookedFor(
  named: readonly (readonly [path: string, text: ProbeText])[],
  dryRun: DryRun,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  if (named.length === 0) return new Set();
  // The words of a path need no quotes; what lies beside a hidden file may.
  const lines = named.map(([path, { beside }]) => {
    const other = /^[\w.@+/-]+$/.test(beside) && !path.startsWith("/") ? ` || [ -e './${beside}/${path}' ]` : "";
    const place = path.startsWith("/") ? path : `./${path}`;
    return `[ -e '${place}' ]${other} || echo 'nowhere ${path}'`;
  });
  const printed = await dryRun.printed(lines.join("\n"), signal);
  return new Set([...printed.matchAll(/^nowhere (.*)$/gm)].map(([, path = ""]) => path));
}
