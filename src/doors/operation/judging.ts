import { Type } from "@sinclair/typebox";
import { Failure } from "../../domain/failure.ts";
import { JudgeProfiles, JudgesRequest } from "../../domain/judge-profile.ts";
import { MAX_PAGE, VerdictRequest } from "../../domain/request.ts";
import { record } from "../../domain/schema.ts";
import {
  SelfTest,
  SelfTestId,
  SelfTestListing,
  SelfTestListRequest,
  SelfTestRequest,
  SelfTestStarted,
} from "../../domain/self-test.ts";
import { Verdict } from "../../domain/verdict.ts";
import { Vote, VoteRequest } from "../../domain/vote.ts";
import { newerFirst } from "../../store/self-test-store.ts";
import { doOnce } from "./do-once.ts";
import { operation, type Services } from "./operation.ts";

export const startSelfTest = operation({
  name: "start_self_test",
  title: "Test a judge on a scenario",
  summary:
    "Asks the judge about evidence of which the right answer is known, made from the scenario's fixture and reference fix: 20 to 40 judge calls and no arm. Spends the judge's tokens.",
  input: SelfTestRequest,
  output: SelfTestStarted,
  async run(services, { scenario, judge_model }, signal, requester) {
    const start = async () => {
      const loaded = await services.catalog.get(scenario);
      const { startSelfTest: begin } = await import("../../comparison/audit/start-self-test.ts");
      const { self_test_id } = await begin(services, loaded, { judge_model, key: requester?.key }, signal);
      return { self_test_id };
    };
    return await doOnce(services, requester, { start, again: async (self_test_id) => ({ self_test_id }) });
  },
});

export const getSelfTest = operation({
  name: "get_self_test",
  title: "Get a self-test",
  summary: "What a self-test of a judge found, part by part. Also while it runs.",
  input: record("GetSelfTestRequest", { self_test_id: SelfTestId }),
  output: SelfTest,
  run: demandSelfTest,
});

export const listSelfTests = operation({
  name: "list_self_tests",
  title: "List self-tests",
  summary: "Self-tests of judges, newest first: what is stored, and what runs on this server or failed there.",
  input: SelfTestListRequest,
  output: Type.Array(SelfTestListing),
  async run(services, { limit = MAX_PAGE, before }) {
    const { self_tests, store } = services;
    const place = before === undefined ? undefined : await demandSelfTest(services, { self_test_id: before });
    const stored = await store.self_tests.list({ limit, before: place });
    const own = self_tests.all().filter((one) => place === undefined || newerFirst(place, one) < 0);
    // A self-test that ends at this moment is in both lists.
    const all = new Map([...own, ...stored].map((one) => [one.self_test_id, one]));
    const newest = [...all.values()].toSorted(newerFirst).slice(0, limit);
    return newest.map(({ parts: _parts, digest: _digest, failure: _failure, ...listed }) => listed);
  },
});

/** @throws Failure `unknown_self_test` */
async function demandSelfTest(
  { self_tests, store }: Pick<Services, "self_tests" | "store">,
  { self_test_id }: { readonly self_test_id: string },
): Promise<SelfTest> {
  const found = self_tests.get(self_test_id) ?? (await store.self_tests.read(self_test_id));
  if (found) return found;
  throw new Failure("unknown_self_test", `there is no self-test "${self_test_id.slice(0, 100)}"`);
}

export const listJudges = operation({
  name: "list_judges",
  title: "Profile judges",
  summary:
    "What stored verdicts say about each judge: how often it is undecided, follows the order of presentation, or contradicts itself or the hidden checks. Reads the newest 1,000 sessions; spends nothing.",
  input: JudgesRequest,
  output: JudgeProfiles,
  async run({ store }, { model }, signal) {
    const { profileJudges } = await import("../../comparison/audit/profile-judges.ts");
    return await profileJudges(store, model, signal);
  },
});

export const voteOnSession = operation({
  name: "vote",
  title: "Vote on two arms",
  summary:
    "Keeps whom a person prefers of two arms, and why. Votes are no part of a verdict and no judge sees them; `GET /api/judges` says how often they agree with each judge. Who votes is not checked, nor whether the vote was blind.",
  input: Type.Composite([Type.Object({ session_id: Type.String() }), VoteRequest], { additionalProperties: false }),
  output: Vote,
  async run(services, { session_id, ...request }) {
    const { vote } = await import("../../comparison/session/vote.ts");
    return await vote(services, session_id, request);
  },
});

export const rejudge = operation({
  name: "rejudge",
  title: "Judge two stored arms",
  summary:
    "A new verdict on two arms that have run, of one session or of two sessions of the same scenario, without running them again. Spends the judge's tokens.",
  input: VerdictRequest,
  output: Verdict,
  async run(services, request, signal, requester) {
    const { rejudge: rejudgeArms, rejudgedBefore } = await import("../../comparison/session/rejudge.ts");
    return await doOnce(services, requester, {
      start: () => rejudgeArms(services, request, signal, requester),
      again: (verdict_id) => rejudgedBefore(services, request, verdict_id),
    });
  },
});
