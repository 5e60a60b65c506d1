import { type CommandSpec, type FlagSpec, UsageError } from "./parse-arguments.ts";
import { RUN, type RunArguments, type RunFlag } from "./run-flags.ts";
import { SANDBOX_FLAGS } from "./service-flags.ts";

/** What `abeval run --<mode>` does in place of a run is a command of its own, which has the flags that go with it. */
interface Tool<Mode extends RunFlag> extends Pick<CommandSpec<RunFlag>, "usage" | "description" | "examples"> {
  readonly mode: Mode;
  /** What the command line must name. */
  readonly parameter: string;
  readonly variadic?: true;
  readonly flags: readonly RunFlag[];
  /** Whether it runs commands of a scenario. */
  readonly runs_commands?: true;
}

const tool = <const Mode extends RunFlag>(given: Tool<Mode>) => given;

export const RUN_TOOLS = {
  check: tool({
    mode: "check",
    usage: "abeval check <scenario_file or directory>... [flags]",
    parameter: "scenario_file",
    variadic: true,
    description:
      "Checks scenarios without running their arms, and says what to fix. It calls no model and needs no key. With --trials it tells\n" +
      "what a series would cost and find. Exit status: 0 ready, 2 not ready. `abeval run --check` is the older spelling.",
    examples: ["abeval check scenarios", "abeval check my.yaml --trials 20 --model openai/gpt-5"],
    flags: [
      ...(["json", "rehearse", "allow-endpoint", "model", "judge-model", "prices", "trials", "cluster"] as const),
      ...(["measure", "not-worse-by", "control", "best", "agents-dir", "images-dir", "replay", "live-judge"] as const),
    ],
    runs_commands: true,
  }),
  new: tool({
    mode: "new",
    usage: "abeval new <file.yaml or directory> --prompts <file>... | --models <model>... | --from <task> [flags]",
    parameter: "file",
    variadic: true,
    description:
      "Writes a scenario, checks it, and says what a first series costs. It compares prompts, or models on one prompt, over the rows\n" +
      "of a table; with --from it is made of a commit, or of tasks of another tool. Nothing is overwritten. Exit status: 0 ready,\n" +
      "2 not ready or not written. `abeval run --new` is the older spelling of `abeval new --from`.",
    examples: [
      "abeval new tone.yaml --prompts a.md b.md c.md --rows q.csv --contains wanted --model openai/gpt-5",
      'abeval new models.yaml --models openai/gpt-5 anthropic/claude-fable-5-2 --rows q.csv --question "Is it polite?"',
      "abeval new evals/off-by-one.yaml --from 4f1c2ab",
      "abeval new evals/exercises --from ~/exercism/python/exercises",
    ],
    flags: ["from", "images-dir", "judge-model", "prices"],
    runs_commands: true,
  }),
  results: tool({
    mode: "results",
    usage: "abeval results <table.csv or .jsonl> [--arms <a>,<b>,...] [flags]",
    parameter: "table",
    variadic: true,
    description:
      "Compares results of another harness: a table with the columns scenario, trial, arm, and passed or score. 3 to 32 arms are a\n" +
      "contest. Exit status: 0 a series, whoever won; 2 the table cannot be read. `abeval run --results` is the older spelling.",
    examples: ["abeval results leaderboard.csv --arms baseline,candidate", "abeval results nine-agents.csv --best"],
    flags: [
      ...(["arms", "best", "fdr", "control", "tie-margin", "margin", "not-worse-by", "by", "cluster", "base"] as const),
      ...(["state-dir", "database-url", "out", "json", "junit", "markdown", "html", "card"] as const),
    ],
  }),
  bless: tool({
    mode: "bless",
    usage: "abeval bless <series_id> --out <file> [flags]",
    parameter: "series_id",
    description:
      "Writes a stored series as one file, which later series take as their --baseline. `abeval run --bless` is the older spelling.",
    examples: ["abeval bless series-20260102T030405678Z-0123abcd --out baseline.jsonl --state-dir .abeval"],
    flags: ["out", "state-dir", "database-url"],
  }),
  "judge-test": tool({
    mode: "self-test",
    usage: "abeval judge-test <scenario_file or directory>... [flags]",
    parameter: "scenario_file",
    variadic: true,
    description:
      "Tests the judge of scenarios on evidence that no arm made. Exit status: 0 passed or nothing to test, 1 failed, 2 wrong use, 3 the\n" +
      "judgings do not tell. `abeval run --self-test` is the older spelling.",
    examples: ["abeval judge-test my.yaml --judge-model openai/gpt-5 --state-dir .abeval"],
    flags: ["json", "judge-model", "prices", "max-cost", "state-dir"],
    runs_commands: true,
  }),
} as const;

/** What `abeval new` makes a scenario of without another tool's task. */
const COMPARISON_FLAGS = {
  prompts: {
    value: "<file> <file>...",
    description: "compare these prompts; {{column}} in one stands for the value of a row",
  },
  models: { value: "<model> <model>...", description: "compare these models, on the rows, or on one prompt" },
  rows: { value: "<table>", description: "ask once for each row of this .csv or .jsonl table" },
  contains: { value: "<column>", description: "an answer must contain what the row has in this column, in any case" },
  lacks: { value: "<text>", description: "an answer may not contain this text, in any case" },
  question: { value: "<text>", description: "the judge compares the answers by this question" },
  model: { value: "<provider>/<model>", description: "the model that answers all prompts" },
} as const satisfies Record<string, FlagSpec>;
export type ComparisonFlag = keyof typeof COMPARISON_FLAGS;

export type RunTool = keyof typeof RUN_TOOLS;

const flagsOf = ({ flags, runs_commands }: Tool<RunFlag>): readonly RunFlag[] => [
  ...flags,
  ...(runs_commands ? (Object.keys(SANDBOX_FLAGS) as (keyof typeof SANDBOX_FLAGS)[]) : []),
  ...(["quiet", "no-color", "no-config", "env-file"] as const),
];

/** As it stands where nothing else is done: without the mode that it goes with, and for a flag of several modes without the others. */
const alone = (flag: FlagSpec): FlagSpec => ({
  ...flag,
  description: flag.description
    .replace(/^with --[a-z-]+: /, "")
    .replace(/^.*; with --check or --self-test: /, "")
    .replace(/; with --results: of the table$/, ""),
});

/** What the command takes. */
export function toolSpec(name: RunTool): CommandSpec<RunFlag> {
  const given: Tool<RunFlag> = RUN_TOOLS[name];
  const flags: Partial<Record<RunFlag, FlagSpec>> = {
    ...(name === "new" && COMPARISON_FLAGS),
    ...Object.fromEntries(flagsOf(given).map((flag) => [flag, alone(RUN.flags[flag])])),
  };
  const { usage, description, examples, parameter, variadic } = given;
  const words = { parameters: [parameter], ...(variadic && { variadic }) };
  // The flags of others are unknown to it.
  return { name: `abeval ${name}`, usage, description, examples, ...words, flags: flags as Record<RunFlag, FlagSpec> };
}

const STRAY: Readonly<Record<string, string>> = {
  "check new": "--check does not go with --new, which checks what it writes",
  "check from": "--from goes with --new, which writes a scenario",
  "new json":
    "--json does not go with --new, which says what it found as text; for JSON: abeval check --json <file>, afterwards",
};

/** @throws UsageError for a flag that is about arms that run */
export function demandFlagsOf(name: RunTool, { given }: RunArguments): void {
  const { mode } = RUN_TOOLS[name];
  const known: readonly string[] = [mode, ...flagsOf(RUN_TOOLS[name])];
  const stray = given().find((flag) => !known.includes(flag));
  if (stray === undefined) return;
  throw new UsageError(STRAY[`${mode} ${stray}`] ?? `--${stray} does not go with --${mode}, which runs no arm`);
}
