import type { RunOptions } from "../../../comparison/planning/prepare-session.ts";
import { MARGIN, MAX_TRIALS } from "../../../domain/defaults.ts";
import { SCORE_TIE_MARGIN } from "../../../domain/results.ts";
import { SELF_TEST_CALLS } from "../../../domain/self-test-sentence.ts";
import { DEFAULT_TRIALS, MAX_PARALLEL } from "../../../domain/series-record.ts";
import { NOT_WORSE_BY } from "../../../domain/series-result.ts";
import { CONFIG_FLAGS } from "./configured.ts";
import { type CommandSpec, forShell, type ParsedArguments } from "./parse-arguments.ts";
import { NOTIFY_FLAGS, SHARED_FLAGS } from "./service-flags.ts";

/** What `abeval run` takes. */
export const RUN = {
  name: "abeval run",
  usage: "abeval run <scenario_file or directory>... [flags]",
  variadic: true,
  description:
    "Runs the arms of a scenario, judges them blind and in both orders, and prints the verdict as JSON on stdout.\n" +
    "Several files, a scenario with inputs, or --trials make a series, which is printed in place of the verdict. On a terminal\n" +
    "a series shows only its summary, unless --json asks for the JSON.\n" +
    "Exit status: 0 a verdict or a series, whoever won; 1 the run failed; 2 wrong use, scenario, key or sandbox (nothing was\n" +
    "spent); 3 no usable judgement, in a series in more than half of the trials; 4 --aa found a preference; 130 interrupted.\n" +
    "--check, --new, --results, --bless and --self-test are older spellings of abeval check, new, results, bless and judge-test.\n" +
    "Keys: ANTHROPIC_API_KEY, OPENAI_API_KEY, <PROVIDER>_API_KEY. <NAME>_BASE_URL sends calls for provider <name> to a\n" +
    "gateway; <NAME>_HEADERS (a JSON object, or lines of `name: value`) go with each call and are kept secret like a key.\n" +
    "Without --judge-model, the judge is the scenario's own, then ABEVAL_JUDGE_MODEL, then anthropic/claude-fable-5-2.",
  examples: [
    "abeval run scenarios/pager-last-page.yaml",
    "abeval run scenarios/pager-last-page.yaml --model openai/gpt-5 --judge-model builtin/evidence",
    "abeval run my.yaml --state-dir .abeval --out verdict.json --quiet",
    "abeval run scenarios/suite-*.yaml --trials 30 --stop-when-sure",
    "abeval run my.yaml --trials 20 --baseline baseline.jsonl",
  ],
  parameters: ["scenario_file"],
  flags: {
    model: { value: "<provider>/<model>", description: "use this model in both arms" },
    "judge-model": {
      value: "<model>[,<model>,<model>]",
      description: "use this judge; 3 or 5 models form a panel; builtin/evidence judges without a model",
    },
    out: { value: "<path>", description: "also write the verdict, or the series, to this file" },
    junit: { value: "<path>", description: "write the verdict and every hidden check, or every trial, as JUnit XML" },
    markdown: { value: "<path>", description: "write a summary for a pull request" },
    html: { value: "<path>", description: "write the verdict, or the series, as one page that needs no server" },
    card: {
      value: "<path>",
      description: "write a picture for a chat or a pull request; the path ends in .svg or .png",
    },
    otel: {
      value: "<file|endpoint>",
      description:
        "write spans and evaluation results (OpenTelemetry's conventions for generative AI, OTLP as JSON) to this file, or send them to http://...",
    },
    single: { description: "let this one run open the gate of its winner; without it, only a series opens one" },
    input: { value: "<id>", description: "run only this row of a scenario with inputs, and print its verdict" },
    "max-cost": {
      value: "<usd>",
      usd: true,
      description:
        "limit what both arms and the judge cost together, in a series over all trials; each call is checked before it is made, and a likely cost above it is refused; needs prices",
    },
    seed: {
      value: "<text>",
      description:
        "choose which of its weighted scripts an arm replays (default: the digest of the scenario or of the series' plan)",
    },
    trials: {
      value: "<n>",
      range: { min: 1, max: MAX_TRIALS },
      description: "run each scenario this many times, as a series",
    },
    "stop-when-sure": {
      description: `stop the series as soon as more trials would change nothing (at most ${DEFAULT_TRIALS} trials, or --trials)`,
    },
    "stop-at": {
      value: "<not_worse|better>",
      description:
        "with --stop-when-sure: stop once the candidate is not worse (default), or go on until it is better or worse",
    },
    parallel: {
      value: "<k>",
      range: { min: 1, max: MAX_PARALLEL },
      description: "run this many trials at once (default 1)",
    },
    margin: {
      value: "<m>",
      description: `count win rates within this distance of 0.5 as no difference (default ${MARGIN})`,
    },
    measure: {
      value: "<solved | score | preferred>",
      description: "what a trial is measured by (default: solved where required checks decide and no judge does)",
    },
    "not-worse-by": {
      value: "<points>",
      description: `open the gate for an arm that is not worse by so many points, 1 to 50 (default ${100 * NOT_WORSE_BY.solved}, of a judge's preference ${100 * NOT_WORSE_BY.preferred})`,
    },
    control: { value: "<arm_id>", description: "the arm that the other one is compared with" },
    continue: { value: "<series_id>", description: "continue a stored series; needs --state-dir and the same plan" },
    baseline: {
      value: "<file | git:ref:path | series_id>",
      description:
        "with --trials: use stored runs of a series for the arm that did not change, so that only the other arm costs money; a file can be pinned: <file>@sha256:<digest>",
    },
    base: {
      value: "<ref>",
      description:
        "name each input that differs from this commit (default in CI: each in the git work tree); stored runs, recordings, logs and results among them shut the gate, unless pinned",
    },
    by: {
      value: "<column>",
      description: "group the rows of a series by this column of the inputs; with --results: of the table",
    },
    cluster: {
      value: "<column>",
      description: "count rows with one value in this column as one, their mean; with --results: of the table",
    },
    aa: {
      value: "<arm_id>",
      description:
        "with --trials or --stop-when-sure: test the set-up by running this arm against itself; exit status 4 when one of the equal arms is preferred",
    },
    ...NOTIFY_FLAGS,
    ...SHARED_FLAGS,
    record: {
      value: "<dir>",
      description: "record requests to providers and their replies in this directory, for --replay",
    },
    ...CONFIG_FLAGS,
    quiet: { description: "print only errors on stderr, and where --keep-workspaces left the files" },
    "no-color": { description: "print no colours on stderr" },
    new: { description: "with --from: write this scenario file, or this directory of them" },
    from: {
      value: "<task>",
      description: "with --new: a commit that fixed something, a task of another tool, or a directory of tasks",
    },
    check: {
      description:
        "check one or more files without running the arms, and say what to fix; calls no model, needs no key",
    },
    rehearse: {
      description:
        "with --check: ask each arm that is an endpoint or a program, and each check that is posted, a first question, which says that it is a rehearsal",
    },
    "self-test": {
      description: `test the judge of one or more files on evidence that no arm made; makes ${SELF_TEST_CALLS} a file`,
    },
    bless: {
      description:
        "with --out: write a stored series as a baseline; give its id in place of a file; needs --state-dir or --database-url",
    },
    results: {
      description:
        "compare results of another harness: a .csv or .jsonl table with scenario, trial, arm, and passed or score",
    },
    arms: {
      value: "<a>,<b>,...",
      description: "with --results: compare these arms of a table with more; 3 to 32 arms are a contest",
    },
    best: {
      description: "of more than two arms: compare each with each, to find the best (default: each with the control)",
    },
    "keep-running": {
      description: "of more than two arms: arms go on that are out, or about which enough is known",
    },
    fdr: {
      description: "of more than two arms: also tell what holds where 5% of all claims may be false; no gate reads it",
    },
    "tie-margin": {
      value: "<m>",
      description: `with --results: say of scores that differ by at most this that neither is better (default ${SCORE_TIE_MARGIN})`,
    },
    json: {
      description:
        "print the JSON of a series on a terminal too, where it shows only its summary; with --check or --self-test: print a JSON array with one report for each file",
    },
  },
  groups: {
    "What is compared": ["model", "judge-model", "seed", "input", "single"],
    "Several runs (a series)": [
      "trials",
      "stop-when-sure",
      "stop-at",
      "parallel",
      "margin",
      "measure",
      "not-worse-by",
      "control",
      "best",
      "keep-running",
      "fdr",
      "by",
      "cluster",
      "continue",
      "baseline",
      "aa",
    ],
    "What a pull request can edit": ["base"],
    Money: ["max-cost", "prices"],
    "What is written": [
      "out",
      "json",
      "junit",
      "markdown",
      "html",
      "card",
      "otel",
      "notify",
      "link",
      "quiet",
      "no-color",
    ],
    Defaults: ["no-config", "env-file"],
    "What is kept": ["state-dir", "database-url", "keep-workspaces"],
    "What commands may do": [
      "sandbox",
      "sandbox-read",
      "accept-host-network",
      "allow-endpoint",
      "agents-dir",
      "images-dir",
    ],
    Recordings: ["record", "replay", "replay-strict", "live-judge"],
    "Instead of a run": ["check", "rehearse", "self-test", "new", "from", "bless", "results", "arms", "tie-margin"],
  },
} as const satisfies CommandSpec<string>;

export type RunFlag = keyof typeof RUN.flags;

export interface RunArguments extends ParsedArguments<RunFlag> {
  /** The files as the user named them, by their directory; absent: as the parameters say. */
  readonly named?: readonly string[];
  /** Files that gave defaults of flags, or variables. */
  readonly config?: readonly string[];
}

/** The models that the command line puts into the place of the scenario's. */
export function replacementOf({
  value,
}: Pick<RunArguments, "value">): Pick<RunOptions, "model_override" | "judge_model"> {
  const [model_override, judge_model] = [value("model"), value("judge-model")];
  return {
    ...(model_override !== undefined && { model_override }),
    ...(judge_model !== undefined && { judge_model }),
  };
}

/**
 * The command that runs the series again, for a shell; without what says how many trials, and of which series. Null
 * where nothing is kept that could go on.
 */
export function commandOf({ parameters, named = parameters, given, value, values, has }: RunArguments): string | null {
  if (value("state-dir") === undefined) return null;
  // Whoever knows a webhook's address can post to it.
  const flags = given().filter((flag) => !["continue", "trials", "notify"].includes(flag));
  const words = flags.flatMap((flag) =>
    has(flag) ? [`--${flag}`] : values(flag).flatMap((text) => [`--${flag}`, text]),
  );
  // What stood on standard input has to be kept first.
  const files = named.map((file) => (file === "-" ? "<the scenario, saved as a file>" : forShell(file)));
  return ["abeval", "run", ...files, ...words.map(forShell)].join(" ");
}
