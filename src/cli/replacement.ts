import type { RunOptions } from "../session/prepare-session.ts";
import type { RunArguments } from "./run.ts";

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
