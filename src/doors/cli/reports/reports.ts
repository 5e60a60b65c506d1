import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { isBelow } from "../../../comparison/scenario/confined-path.ts";
import { errorCode, wordsOf } from "../../../domain/failure.ts";
import { systemEntropy } from "../../../runtime/clock.ts";
import { complain, EXIT } from "../exit-code.ts";
import { UsageError } from "../flags/parse-arguments.ts";
import type { RunArguments } from "../flags/run-flags.ts";
import { jsonText, writeStdout } from "../terminal/terminal.ts";
import { isEndpoint } from "./otel.ts";

const REPORTS = ["out", "junit", "markdown", "html", "card", "otel"] as const;
type ReportFlag = (typeof REPORTS)[number];

/** A file that was asked for, by its flag. */
interface Report {
  readonly flag: ReportFlag;
  readonly file: OutFile;
}

/** A file that a run reads or keeps, or a directory of such files. */
interface RunFile {
  readonly path: string;
  /** Completes "is ...". */
  readonly what: string;
}

/**
 * @param sources absolute paths of whatever the scenarios are made of
 * @throws UsageError for a path that cannot be written, for one of two flags, and for one that the run itself needs.
 */
export function openReports(args: RunArguments, sources: Iterable<string>): Report[] {
  const needed = filesOf(args, sources);
  const places = new Map<string, string>();
  return REPORTS.flatMap((flag) => {
    const path = pathOf(args, flag);
    if (path === undefined) return [];
    const file = new OutFile(flag, path);
    const { place } = file;
    if (place === undefined) return [{ flag, file }];
    const other = places.get(place);
    if (other) throw new UsageError(`--${flag} ${path}: is the file of --${other} too; one would overwrite the other`);
    const harm = harmOf(place, needed);
    if (harm) throw new UsageError(`--${flag} ${path}: ${harm}; choose another path`);
    places.set(place, flag);
    return [{ flag, file }];
  });
}

/** Undefined where no file is asked for. @throws UsageError for a path of another kind than the flag takes */
function pathOf({ value }: RunArguments, flag: ReportFlag): string | undefined {
  const path = value(flag);
  if (path === undefined || (flag === "otel" && isEndpoint(path))) return undefined;
  if (flag === "card" && cardFormat(path) === undefined)
    throw new UsageError(`--card ${path}: expected a path that ends in .svg or .png`);
  return path;
}

function filesOf({ parameters, value, has }: RunArguments, sources: Iterable<string>): RunFile[] {
  const [prices, state_dir] = [value("prices"), value("state-dir")];
  const stored = STORED.map((name) => ({ path: join(state_dir ?? "", name), what: "where the sessions are kept" }));
  return [
    ...parameters.map((path) => ({ path, what: has("results") ? "the table" : "the scenario" })),
    ...(prices === undefined ? [] : [{ path: prices, what: "the file of --prices" }]),
    ...(state_dir === undefined ? [] : stored),
    ...[...sources].map((path) => ({ path, what: "a part of the scenario" })),
  ];
}

/** What a state directory holds. */
const STORED = ["sessions.db", "sessions.db-wal", "sessions.db-shm", "sessions", ".owners"];

/** Which of the run's own files a report in this place would destroy; undefined when none. */
function harmOf(place: string, needed: readonly RunFile[]): string | undefined {
  const same = needed.find(({ path }) => realPath(path) === place);
  if (same) return `is ${same.what}, which a report would overwrite`;
  const around = needed.find(({ path }) => isBelow(realPath(path), place));
  return around && `is in ${around.path}, ${around.what}`;
}

/** The real path of an existing file; the absolute path of one that does not exist yet. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

/** A result in each format; null: it has nothing to say there. A card is SVG. */
type Forms = Readonly<Record<Exclude<ReportFlag, "out" | "otel">, () => string | Promise<string> | null>> & {
  /** The telemetry in pieces, each made when it is written. */
  readonly otel?: () => AsyncIterable<string> | null;
};

/** By the ending of its path; undefined for any other ending. */
const cardFormat = (path: string) =>
  (["svg", "png"] as const).find((format) => path.toLowerCase().endsWith(`.${format}`));

/** Loads the renderer only for a picture that needs it. */
async function drawn(flag: ReportFlag, content: Content, path: string): Promise<Content> {
  if (flag !== "card" || typeof content !== "string" || cardFormat(path) === "svg") return content;
  return await (await import("../../report/card-png.ts")).cardPng(content);
}

/**
 * Writes a result to stdout first, because it has been paid for, even if a file cannot be written. Reports on stderr which files could
 * not be written; true when everything was written. `shown`, where it is given, goes to stdout in place of the JSON.
 */
export async function deliver(
  result: object | null,
  reports: readonly Report[],
  { shown, ...forms }: Forms & { readonly shown?: string | undefined },
): Promise<boolean> {
  const text = result && jsonText(result);
  const taken = text === null || (await writeStdout(shown ?? text));
  const contents = { ...forms, out: () => text };
  const problems: string[] = [];
  for (const { flag, file } of reports) {
    const content = (await contents[flag]?.()) ?? null;
    if (content === null) continue;
    const problem = await file.write(await drawn(flag, content, file.path));
    if (problem !== null) problems.push(problem);
  }
  for (const problem of problems) complain(problem, EXIT.failed);
  return taken && problems.length === 0;
}

/**
 * A file that appears whole or not at all. A device or a pipe is written directly. It is opened before anything is spent, so
 * that a path that cannot be written is refused in time.
 */
class OutFile {
  readonly #flag: string;
  readonly #path: string;
  /** Open from the start for a pipe or device, so that a reader that leaves is noticed. */
  readonly #stream: number | undefined;

  /** @throws UsageError when the path cannot be written. */
  constructor(flag: string, path: string) {
    this.#flag = flag;
    try {
      const stats = statSync(path, { throwIfNoEntry: false });
      if (stats?.isDirectory()) throw new UsageError(`--${flag} ${path}: is a directory`);
      const replaceable = stats === undefined || stats.isFile();
      this.#path = stats?.isFile() ? realpathSync(path) : path;
      this.#stream = replaceable ? undefined : openStream(path);
      if (replaceable) this.#tryDirectory();
    } catch (error) {
      throw error instanceof UsageError ? error : new UsageError(refusal(flag, path, error));
    }
  }

  /** Identifies the file, however its path is written. Undefined for a device or a pipe, which several flags may share. */
  get place(): string | undefined {
    return this.#stream === undefined ? join(realpathSync(dirname(this.#path)), basename(this.#path)) : undefined;
  }

  get path(): string {
    return this.#path;
  }

  /** Null, or one line that says why the file was not written. */
  async write(content: Content): Promise<string | null> {
    const temporary = this.#temporary();
    try {
      if (this.#stream === undefined) await replace(this.#path, temporary, content);
      else await writeAll(this.#stream, content);
      return null;
    } catch (error) {
      rmSync(temporary, { force: true });
      return `${refusal(this.#flag, this.#path, error)}${this.#stream === undefined ? withoutEarlier(this.#path) : ""}`;
    }
  }

  #tryDirectory(): void {
    const temporary = this.#temporary();
    closeSync(openSync(temporary, "wx"));
    rmSync(temporary, { force: true });
  }

  #temporary = () => join(dirname(this.#path), `.${basename(this.#path)}.${systemEntropy(4)}.tmp`);
}

/** Whoever reads the file would take an earlier run for this one. */
function withoutEarlier(path: string): string {
  if (!existsSync(path)) return "";
  try {
    rmSync(path);
    return "; what an earlier run left there is removed";
  } catch {
    return "; what stands there is of an earlier run";
  }
}

/** A pipe without a reader fails at once when opened without waiting. */
function openStream(path: string): number {
  const probe = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  try {
    return openSync(path, constants.O_WRONLY);
  } finally {
    closeSync(probe);
  }
}

type Content = string | Uint8Array | AsyncIterable<string>;

async function writeAll(file: number, content: Content): Promise<void> {
  if (typeof content === "string" || content instanceof Uint8Array) writeFileSync(file, content);
  else for await (const piece of content) writeFileSync(file, piece);
}

async function replace(path: string, temporary: string, content: Content): Promise<void> {
  const file = openSync(temporary, "wx", 0o644);
  try {
    await writeAll(file, content);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
}

const refusal = (flag: string, path: string, error: unknown) =>
  `--${flag} ${path}: cannot be written (${isUnread(error) ? "nobody reads from it" : firstWords(error)})`;

const isUnread = (error: unknown) => errorCode(error) === "ENXIO";

const firstWords = (error: unknown) => wordsOf(error).split(",")[0];
