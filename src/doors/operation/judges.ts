import { JudgeProfiles, JudgesRequest } from "../../domain/judge-profile.ts";
import { operation } from "./operation.ts";

export const listJudges = operation({
  name: "list_judges",
  title: "Profile judges",
  summary:
    "What stored verdicts say of each judge: how often it is undecided, pulled by the order, at odds with itself or with the hidden checks. Reads the newest 1,000 sessions; spends nothing.",
  input: JudgesRequest,
  output: JudgeProfiles,
  async run({ store }, { model }, signal) {
    const { profileJudges } = await import("../../comparison/audit/profile-judges.ts");
    return await profileJudges(store, model, signal);
  },
});
