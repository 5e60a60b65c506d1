import type { RunOptions } from "../session/prepare-session.ts";
import type { CommandSpec, ParsedArguments } from "./arguments.ts";
import { SHARED_FLAGS } from "./services.ts";

/** What `abeval run` takes. */
export const RUN = {
  name: "abeval run",
  usage: "abeval run <scenario_file> [flags]",
  variadic: true,
  description:
    "Runs both arms of a scenario, judges them blind and in both orders, and prints the verdict as JSON on stdout.\n" +
    "Exit status: 0 a verdict, whoever won; 1 the run failed; 2 wrong use, scenario, key or sandbox (nothing was spent);\n" +
    "3 the judge gave no usable answer; 130 interrupted. With --check and --new: 0 ready, 2 not.\n" +
    "With --self-test: 0 passed, with warnings or without, 1 failed, 2 wrong use.\n" +
    "Keys: ANTHROPIC_API_KEY, OPENAI_API_KEY, <PROVIDER>_API_KEY; <NAME>_BASE_URL leads provider <name> to a gateway,\n" +
    "<NAME>_HEADERS (a JSON object, or lines of `name: value`) are sent with each of its calls and kept like a key.\n" +
    "The judge without a flag: the scenario's own, then ABEVAL_JUDGE_MODEL, then anthropic/claude-fable-5-2.",
  examples: [
    "abeval run scenarios/pager-last-page.yaml",
    "abeval run scenarios/pager-last-page.yaml --model openai/gpt-5 --judge-model builtin/evidence",
    "abeval run my.yaml --state-dir .abeval --out verdict.json --quiet",
    "abeval run --check scenarios/*.yaml",
    "abeval run --self-test my.yaml --judge-model openai/gpt-5 --state-dir .abeval",
    "abeval run --new evals/off-by-one.yaml --from 4f1c2ab",
  ],
  parameters: ["scenario_file"],
  flags: {
    model: { value: "<provider>/<model>", description: "use this model in both arms" },
    "judge-model": {
      value: "<model>[,<model>,<model>]",
      description: "the judge; 3 or 5 judge as a panel; builtin/evidence judges without a model",
    },
    out: { value: "<path>", description: "also write the verdict to this file" },
    junit: { value: "<path>", description: "write the verdict and every hidden check as JUnit XML" },
    markdown: { value: "<path>", description: "write a summary for a pull request" },
    "max-cost": {
      value: "<usd>",
      usd: true,
      description: "the most that both arms and the judge may cost together; needs prices",
    },
    seed: {
      value: "<text>",
      description: "decides which of its weighted scripts an arm replays; default: the scenario's digest",
    },
    ...SHARED_FLAGS,
    quiet: { description: "nothing on stderr but errors, and where --keep-workspaces left the files" },
    "no-color": { description: "no colours on stderr" },
    new: { description: "with --from: write this scenario file, made of a commit that fixed something" },
    from: { value: "<commit>", description: "with --new: the commit; its parent is where the arms start" },
    check: {
      description: "try one or more files without the arms, and say what to mend; calls no model, needs no key",
    },
    "self-test": {
      description: "examine the judge of one or more files on evidence that no arm made; 20 to 40 judge calls a file",
    },
    json: { description: "with --check or --self-test: the reports as a JSON array, one for each file" },
  },
} as const satisfies CommandSpec<string>;

export type RunArguments = ParsedArguments<keyof typeof RUN.flags>;

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
