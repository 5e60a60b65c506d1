import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endAsTold, runAbeval } from "./abeval-process.ts";
import type { Compare, CompareOptions, Comparison, FunctionFailure, Results, Row, SharedOptions } from "./api.ts";
import { comparisonOf } from "./comparison.ts";
import { type Functions, functionsOf } from "./functions.ts";
import { SECRET_VARIABLE, scenarioOf } from "./scenario.ts";
import { KeptAnswers, serve } from "./serve.ts";

/** Bytes of a scenario on standard input. More rows go into a file of their own. */
const STDIN_BYTES = 256 * 1024;

export const compare: Compare = async (given) => {
  const options = given as unknown as CompareOptions<Row, string>; // rows of one table: what arms see of them is told by `hide`
  const functions = functionsOf(options);
  const graded = new Set(functions.checks.filter(({ score }) => score).map(({ id }) => id));
  const kept = new KeptAnswers(functions.checks.filter(({ score }) => score === undefined).map(({ id }) => id));
  for (;;) {
    const found = await compareOnce(options, { functions, graded, kept });
    if (found !== undefined) return found;
  }
};

interface Known {
  readonly functions: Functions;
  readonly graded: Set<string>;
  readonly kept: KeptAnswers;
}

/** Undefined: a check gave its first number, so that it has to be told of anew. */
async function compareOnce(options: CompareOptions<Row, string>, known: Known): Promise<Comparison | undefined> {
  const other = new AbortController();
  const { rows, hide } = options;
  const failures: FunctionFailure[] = [];
  const served = await serve({ ...known, rows, hide, failures, onGraded: () => other.abort() });
  try {
    const { inputs, ...scenario } = scenarioOf(options, known.functions, known.graded, served) as { inputs: object };
    const whole = JSON.stringify({ ...scenario, inputs });
    const table = Buffer.byteLength(whole) > STDIN_BYTES ? rows : undefined;
    return await found({
      command: "run",
      text: table === undefined ? whole : JSON.stringify({ ...scenario, inputs_file: "rows.jsonl" }),
      table,
      flags: { ...sharedFlags(options), ...runFlags(options) },
      env: { [SECRET_VARIABLE]: served.secret },
      signal: options.signal,
      other: other.signal,
      failures,
    });
  } finally {
    await served.close();
  }
}

export const results: Results = async (rows, options = {}) => {
  const { arms, tieMargin, cluster, signal } = options;
  const flags = { ...sharedFlags(options), arms: arms?.join(","), "tie-margin": tieMargin, cluster };
  const comparison = await found({ command: "results", text: "", table: rows, flags, env: {}, signal });
  return comparison as Comparison; // nothing else stops it
};

type Flags = Readonly<Record<string, string | number | boolean | undefined>>;

const sharedFlags = ({ control, notWorseBy, best }: SharedOptions): Flags => ({
  control,
  "not-worse-by": notWorseBy,
  best,
});

const runFlags = (options: CompareOptions<Row, string>): Flags => ({
  trials: options.trials,
  "stop-when-sure": options.stopWhenSure,
  "stop-at": options.stopAt,
  parallel: options.parallel,
  "max-cost": options.maxCost,
  "state-dir": options.stateDir,
});

interface Asked {
  readonly command: "run" | "results";
  /** The scenario. */
  readonly text: string;
  /** Rows that go into a file. */
  readonly table: readonly object[] | undefined;
  readonly flags: Flags;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal | undefined;
  /** What else stops it. */
  readonly other?: AbortSignal;
  /** Of functions, which comes to be known while it runs. */
  readonly failures?: readonly FunctionFailure[];
}

/** Undefined when `other` stopped it. @throws the reason of `signal`; Error with what abeval said when there is no result */
async function found(asked: Asked): Promise<Comparison | undefined> {
  const { command, flags, env, signal, other, failures = [] } = asked;
  const directory = await mkdtemp(join(tmpdir(), "abeval-"));
  const page = join(directory, "page.html");
  try {
    const { file, stdin } = await written(directory, asked);
    const args = [command, file, "--json", `--html=${page}`, ...argumentsOf(flags)];
    const stops = [signal, other].filter((one) => one !== undefined);
    const { status, stdout, stderr } = await runAbeval({ args, stdin, env, signal: AbortSignal.any(stops) });
    signal?.throwIfAborted();
    if (other?.aborted) return undefined;
    if (stdout.trim() === "" || status >= INTERRUPTED)
      throw new Error(saidIn(stderr) || `abeval ended with status ${status} and said nothing`);
    return comparisonOf(JSON.parse(stdout), await readFile(page, "utf8"), failures);
  } finally {
    await rm(directory, { recursive: true, force: true });
    endAsTold();
  }
}

const argumentsOf = (flags: Flags) =>
  Object.entries(flags).flatMap(([name, value]) => {
    if (value === undefined || value === false) return [];
    return value === true ? [`--${name}`] : [`--${name}=${value}`];
  });

/** The status of a run that a signal ended, and of what follows. */
const INTERRUPTED = 130;

/** What abeval reads. */
async function written(directory: string, { command, text, table }: Asked): Promise<{ file: string; stdin: string }> {
  if (table === undefined) return { file: "-", stdin: text };
  const rows = join(directory, "rows.jsonl");
  await writeFile(rows, table.map((row) => `${JSON.stringify(row)}\n`).join(""));
  if (command === "results") return { file: rows, stdin: "" };
  const file = join(directory, `${JSON.parse(text).name}.json`);
  await writeFile(file, text);
  return { file, stdin: "" };
}

/** From where abeval complains, without its name. */
function saidIn(stderr: string): string {
  const from = stderr.lastIndexOf("abeval: ");
  return (from === -1 ? stderr : stderr.slice(from + "abeval: ".length)).trim();
}
