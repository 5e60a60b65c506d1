import { expect, test } from "bun:test";
import { join } from "node:path";
import { Value } from "@sinclair/typebox/value";
import { systemClock, systemEntropy } from "../../src/clock.ts";
import { SessionOutcome } from "../../src/domain/session.ts";
import { rejudge } from "../../src/session/rejudge.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import { abeval } from "../abeval.ts";
import { testServices } from "../harness.ts";
import { temporaryDirectory } from "../temporary.ts";

/**
 * A state directory as the released 0.1.6 left it: a run decided by checks, one by a model judge with a rejudge and a
 * cross-session verdict, one without a model, one that its provider refused, and one killed while it was judged.
 */
const ARCHIVE = join(import.meta.dir, "state-0.1.6.tar.gz");

function stateOf016() {
  const directory = temporaryDirectory();
  const { success, stderr } = Bun.spawnSync(["tar", "-xzf", ARCHIVE, "-C", directory.path]);
  if (!success) throw new Error(stderr.toString());
  return directory;
}

const JUDGED = "session-extract-rate-limit-20261122T092627081Z";

test("a state directory of 0.1.6 lists and reads whole", () => {
  using state = stateOf016();
  using store = sqliteStore(state.path, systemClock, systemEntropy);
  const listed = store.list();
  expect(listed.map(({ session_id, state, outcome }) => [session_id, state, outcome])).toEqual([
    ["session-pager-last-page-20261122T092636273Z", "interrupted", null],
    ["session-log-triage-20261122T092636169Z", "failed", null],
    ["session-extract-rate-limit-20261122T092631632Z", "completed", "winner"],
    [JUDGED, "completed", "winner"],
    ["session-pager-last-page-20261122T092622720Z", "completed", "winner"],
  ]);
  for (const { session_id } of listed) {
    const session = store.get(session_id);
    expect([...Value.Errors(SessionOutcome, session)]).toEqual([]);
  }
  expect(store.get(JUDGED)?.verdicts.map(({ kind }) => kind)).toEqual(["cross_session"]);
});

test("two arms that 0.1.6 stored are judged again", async () => {
  using state = stateOf016();
  using store = sqliteStore(state.path, systemClock, systemEntropy);
  const [arm_a, arm_b] = (store.get(JUDGED)?.arms ?? []).map(({ arm_id }) => ({ session_id: JUDGED, arm_id }));
  if (!arm_a || !arm_b) throw new Error("the archive has lost a session");
  const request = { arm_a, arm_b, judge_model: "builtin/evidence" };
  const verdict = await rejudge(testServices({}, { store }), request, new AbortController().signal);
  expect([verdict.kind, verdict.arm_a, verdict.arm_b]).toEqual(["rejudge", arm_a, arm_b]);
  expect(store.get(JUDGED)?.verdicts).toHaveLength(2);
});

test("a run goes into a state directory of 0.1.6", async () => {
  using state = stateOf016();
  const { status, stderr } = await abeval([
    "run",
    "scenarios/pager-last-page.yaml",
    "--quiet",
    "--state-dir",
    state.path,
  ]);
  expect([status, stderr]).toEqual([0, ""]);
  using store = sqliteStore(state.path, systemClock, systemEntropy);
  expect(store.list()).toHaveLength(6);
});
