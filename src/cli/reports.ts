import { realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { isBelow } from "../scenario/confined-path.ts";
import { UsageError } from "./arguments.ts";
import { complain, EXIT } from "./exit-code.ts";
import { OutFile } from "./out-file.ts";

const REPORTS = ["out", "junit", "markdown", "html"] as const;
export type ReportFlag = (typeof REPORTS)[number];

/** A file that was asked for, by its flag. */
export interface Report {
  readonly flag: ReportFlag;
  readonly file: OutFile;
}

/** A file that a run reads or keeps, or a directory of such files. */
interface RunFile {
  readonly path: string;
  /** Completes "is ...". */
  readonly what: string;
}

export interface RunFiles {
  readonly scenarios: readonly string[];
  /** Absolute paths of whatever the scenario is made of. */
  readonly sources: Iterable<string>;
  readonly prices: string | undefined;
  readonly state_dir: string | undefined;
}

/** @throws UsageError for a path that cannot be written, for one of two flags, and for one that the run itself needs. */
export function openReports(value: (flag: ReportFlag) => string | undefined, run: RunFiles): Report[] {
  const needed = filesOf(run);
  const places = new Map<string, string>();
  return REPORTS.flatMap((flag) => {
    const path = value(flag);
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

function filesOf({ scenarios, sources, prices, state_dir }: RunFiles): RunFile[] {
  const stored = STORED.map((name) => ({ path: join(state_dir ?? "", name), what: "where the sessions are kept" }));
  return [
    ...scenarios.map((path) => ({ path, what: "the scenario" })),
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
  return around && `lies in ${around.path}, ${around.what}`;
}

/** The real path of an existing file; the absolute path of one that is not there yet. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

/** Tells on stderr which reports could not be written; true when all were. A report of null has nothing to say. */
export function writeReports(reports: readonly Report[], contentOf: (flag: ReportFlag) => string | null): boolean {
  const problems = reports.flatMap(({ flag, file }) => {
    const content = contentOf(flag);
    return (content !== null && file.write(content)) || [];
  });
  for (const problem of problems) complain(problem, EXIT.failed);
  return problems.length === 0;
}
