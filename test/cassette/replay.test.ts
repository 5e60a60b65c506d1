import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionOutcome } from "../../src/domain/session.ts";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { runOnce } from "../harness.ts";
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
  expect([recorded.notices, notices]).toEqual([[], []]);
  expect(outcome.settings.replayed).toEqual(["ticket-only", "root-cause", "judge"]);
  expect(outcome.verdict?.flags).toContain("replayed");
  expect(recorded.outcome.verdict?.flags).not.toContain("replayed");
  for (const [arm, log] of Object.entries(outcome.decisions)) {
    const turns = log.filter(({ kind }) => kind === "model_turn").map(({ latency_ms }) => latency_ms);
    expect(turns).toEqual(recordedTimes(directory.path, arm));
  }
});
