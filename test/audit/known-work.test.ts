import { expect, test } from "bun:test";
import { knownWork } from "../../src/comparison/audit/prepare-self-test.ts";
import type { ArmSummary, SessionOutcome } from "../../src/domain/session.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { change, probe } from "../judge/build-case.ts";
import { anOutcome, aScenario } from "../outcomes.ts";
import { keep } from "../stored.ts";

const files = { dir: null, files: {}, digest: "0".repeat(64) };
const check = { id: "sum", run: "true", before: null, required: true, weight: 1, timeout_s: 60 };
const checks = [{ ...check, expect_exit: 0, output_matches: null }];
const definition = aScenario({ task: { ...aScenario().task, probe: { files, checks } } });
const loaded = { definition, digest: "0".repeat(64), file: "sample.yaml", directory: "/" };
const changes = change("return slice(0, n);");

test.each<[what: string, probe: ArmSummary["probe"], known: string | undefined]>([
  ["passed every check", probe("pass", 10), changes.patch],
  ["failed one", probe("pass", 9), undefined],
  ["was never checked", null, undefined],
])("what an arm left that %s", async (_, result, known) => {
  using store = memoryStore();
  await keep(store, sessionOf({ probe: result }));
  expect(await knownWork(store, loaded)).toBe(known);
});

test("a session that nobody can read is passed over", async () => {
  using store = memoryStore();
  await keep(store, sessionOf({ probe: probe("pass", 10) }));
  await keep(store, { ...sessionOf({ turns: -1 }), session_id: "session-sample-20260102T030400002Z" });
  expect(await knownWork(store, loaded)).toBe(changes.patch);
});

function sessionOf(left: Partial<ArmSummary>): SessionOutcome {
  const session = anOutcome("session-sample-20260102T030400001Z");
  const finished: ArmSummary = { ...session.arms[0], status: "finished", changes, ...left };
  return { ...session, state: "completed", definition, arms: [finished, session.arms[1]] };
}
