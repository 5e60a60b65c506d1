import { Type } from "@sinclair/typebox";
import { VerdictRequest } from "../../../domain/request.ts";
import { record } from "../../../domain/schema.ts";
import { rejudge as operation } from "../../operation/judging.ts";
import { SPENDS, tool } from "../tool.ts";
import { withoutCheckQuotes } from "../view/full-session.ts";
import { VerdictView, verdictRest, verdictText, verdictThatFits } from "../view/verdict-view.ts";

const RejudgeResult = record("RejudgeResult", {
  verdict: VerdictView,
  stored_in: Type.Array(Type.String(), { description: "Ids of the sessions that now hold the verdict." }),
});

export const rejudge = tool("rejudge", {
  description:
    "Gives a new verdict on two arms that have already run: two arms of one session under another judge, or arms of two sessions of the same scenario. " +
    "Spends the judge's tokens only (none with judge_model builtin/evidence); the judge is asked in both orders and takes up to a few minutes. " +
    "It shows whether a verdict depends on its judge, or compares runs of different days or models. list_sessions finds the ids.",
  input: VerdictRequest,
  output: RejudgeResult,
  annotations: SPENDS,
  live: true,
  async call(services, input, { signal }) {
    const whole = withoutCheckQuotes(await operation(services, input, signal));
    const stored_in = [...new Set([input.arm_a.session_id, input.arm_b.session_id])];
    return verdictThatFits(whole, (verdict) => ({
      structured: { verdict, stored_in },
      text: `${verdictText(verdict, whole)}\nStored in ${stored_in.join(" and ")}.`,
      rest: verdictRest(verdict),
    }));
  },
});
