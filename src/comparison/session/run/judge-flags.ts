import type { Scenario } from "../../../domain/scenario.ts";
import type { Flag } from "../../../domain/verdict.ts";
import { judgeRecord } from "../../../store/self-test-store.ts";
import type { SessionStore } from "../../../store/store.ts";
import { selfTestKeyOf } from "../../planning/comparison.ts";

/** What is known of a judge on a scenario before it judges. @throws Failure `storage_failed` */
export async function judgeFlags(
  { self_tests }: Pick<SessionStore, "self_tests">,
  definition: Scenario,
  judge_model: string,
): Promise<readonly Flag[]> {
  const key = selfTestKeyOf(definition, judge_model);
  return key !== null && (await judgeRecord(self_tests, key)) === "failed" ? ["judge_failed_self_test"] : [];
}
