import { VerdictRequest } from "../../domain/request.ts";
import { Verdict } from "../../domain/verdict.ts";
import { operation } from "./operation.ts";

export const rejudge = operation({
  name: "rejudge",
  title: "Judge two stored arms",
  summary:
    "A new verdict on two arms that have run, of one session or of two sessions of the same scenario, without running them again. Spends the judge's tokens.",
  input: VerdictRequest,
  output: Verdict,
  async run(services, request, signal) {
    const { rejudge: rejudgeArms } = await import("../../comparison/session/rejudge.ts");
    return await rejudgeArms(services, request, signal);
  },
});
