import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { prepareSession } from "../../src/comparison/planning/prepare-session.ts";
import type { SessionOutcome } from "../../src/domain/session.ts";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { runOnce } from "../harness.ts";
import { scoringJudge } from "../judge/mock-judge.ts";
import { temporaryDirectory } from "../temporary.ts";
import { playing, recordingServices, replayingServices, withModels } from "./recorded.ts";

const NAME = "pager-last-page";

/** A run of real clients over HTTP, recorded; the provider is gone when this returns. */
async function record(directory: string) {
  await using provider = await startFakeProvider({ reply: await playing(NAME) });
  const notices: string[] = [];
  const services = recordingServices(directory, provider.environment, { notice: (line) => notices.push(line) });
  const { outcome } = await runOnce(services, await withModels(NAME));
  return { outcome, notices, requests: provider.requests };
}

/** What does not depend on the moment of a run. */
const lasting = ({ decisions, verdict }: SessionOutcome) => ({
  decisions: Object.values(decisions).map((log) =>
    log.map(({ kind, tokens_in, tokens_out, summary }) => ({ kind, tokens_in, tokens_out, summary })),
  ),
  outcome: verdict?.outcome,
  winner: verdict?.winner,
  scores: [verdict?.score_a, verdict?.score_b],
  calls: verdict?.calls.map(({ latency_ms: _latency, ...call }) => call),
});

const recordedTimes = (directory: string, arm: string) =>
  readFileSync(join(directory, NAME, `${arm}.jsonl`), "utf8")
    .split("\n")
    .flatMap((line) => [...line.matchAll(/"ms":(\d+),"body"/g)].map(([, ms]) => Number(ms)));

test("a recorded run replays without its provider: the same decisions, the same verdict, the recorded times", async () => {
  using directory = temporaryDirectory();
  const recorded = await record(directory.path);
  expect(recorded.outcome).toMatchObject({ state: "completed", failure: null });
  const notices: string[] = [];
  const services = replayingServices(directory.path, { strict: true }, { notice: (line) => notices.push(line) });
  const { outcome } = await runOnce(services, await withModels(NAME));
  expect(outcome.failure).toBeNull();
  expect(lasting(outcome)).toEqual(lasting(recorded.outcome));
  // What a machine without a sandbox says is no matter of a recording.
  expect([...recorded.notices, ...notices].filter((line) => !line.startsWith("no sandbox"))).toEqual([]);
  expect(outcome.settings.replayed).toEqual(["ticket-only", "root-cause", "judge"]);
  expect(outcome.verdict?.flags).toContain("replayed");
  expect(recorded.outcome.verdict?.flags).not.toContain("replayed");
  for (const [arm, log] of Object.entries(outcome.decisions)) {
    const turns = log.filter(({ kind }) => kind === "model_turn").map(({ latency_ms }) => latency_ms);
    expect(turns).toEqual(recordedTimes(directory.path, arm));
  }
});

test("a day's limit counts nothing of a replay, whose cost is what it was when it was recorded", async () => {
  using directory = temporaryDirectory();
  await record(directory.path);
  const scenario = await withModels(NAME);
  const price = { in: 3, out: 15, cached_in: null };
  const prices = new Map(["anthropic/one", "openai/two", "gateway/judge"].map((model) => [model, price]));
  const services = replayingServices(directory.path, {}, { prices, max_cost_per_day_usd: 0.000_001 });
  const { outcome } = await runOnce(services, scenario);
  expect(outcome.failure).toBeNull();
  expect(outcome.totals.cost_usd).toBeGreaterThan(0.001);
  expect(await services.store.ledger.on(outcome.created_at.slice(0, 10))).toEqual({ spent: 0, reserved: 0 });
});

test("a day's limit needs a price of who is live alone: here of the judge", async () => {
  using directory = temporaryDirectory();
  await record(directory.path);
  const scenario = await withModels(NAME);
  const run = (live_judge: boolean) =>
    prepareSession(
      replayingServices(
        directory.path,
        { live_judge },
        { max_cost_per_day_usd: 1, resolveModel: () => scoringJudge(() => ({})) },
      ),
      scenario,
      {},
    );
  await expect(run(true)).rejects.toMatchObject({ code: "invalid_request", details: { model: "gateway/judge" } });
  expect((await run(false)).settings.replayed).toContain("judge");
});
