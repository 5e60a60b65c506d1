import type { Flag } from "../../../domain/verdict.ts";
import { judgeRecord } from "../../../store/self-test-store.ts";
import type { SessionStore } from "../../../store/store.ts";

/** What is known of a judge on a scenario before it judges, by the key of its self-tests. @throws Failure `storage_failed` */
export async function judgeFlags(
  { self_tests }: Pick<SessionStore, "self_tests">,
  key: string | null,
): Promise<readonly Flag[]> {
  return key !== null && (await judgeRecord(self_tests, key)) === "failed" ? ["judge_failed_self_test"] : [];
}
