import { expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { systemClock, systemEntropy } from "../../src/clock.ts";
import { SessionOutcome } from "../../src/domain/session.ts";
import { readSession } from "../../src/store/read-session.ts";
import { sqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { temporaryDirectory } from "../temporary.ts";

const src = (path: string) => JSON.stringify(`${import.meta.dir}/../../src/${path}`);

/** A run, short as can be, whose process kills itself when the append of that number is answered. */
const program = (state: string, append: number) => `
  import { systemClock, systemEntropy } from ${src("clock.ts")};
  import { sqliteStore } from ${src("store/sqlite/sqlite-store.ts")};
  import { bundled, runOnce, testServices } from ${JSON.stringify(`${import.meta.dir}/../harness.ts`)};
  const store = sqliteStore(${JSON.stringify(state)}, systemClock, systemEntropy);
  const { append } = store;
  let appends = 0;
  store.append = async (...call) => {
    const last = ++appends === ${append};
    await append.apply(store, call);
    if (last) process.kill(process.pid, "SIGKILL");
  };
  const loaded = await bundled("extract-rate-limit");
  const arms = loaded.definition.arms.map((arm) => ({ ...arm, script: [{ say: "Done." }] }));
  await runOnce(testServices({}, { store, sandbox: "none" }), {
    ...loaded,
    definition: { ...loaded.definition, arms },
  });`;

async function killedAt(append: number): Promise<SessionOutcome> {
  using directory = temporaryDirectory();
  const child = Bun.spawn([process.execPath, "-e", program(directory.path, append)], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const status = await child.exited;
  // There are fewer appends than that.
  expect(child.signalCode === "SIGKILL" || status === 0).toBe(true);
  using store = sqliteStore(directory.path, systemClock, systemEntropy);
  const [row, ...others] = await store.list();
  expect(others).toEqual([]);
  const outcome = row && (await readSession(store, row.session_id));
  if (outcome === undefined) throw new Error("the session is gone");
  expect(row?.state).toBe(outcome.state);
  expect([...Value.Errors(SessionOutcome, outcome)]).toEqual([]);
  return outcome;
}

test("a process that is killed after any append leaves a session that is interrupted where it was, or whole", async () => {
  const decisions: number[] = [];
  for (let append = 1, completed = false; !completed; append += 4) {
    for (const outcome of await Promise.all([0, 1, 2, 3].map((next) => killedAt(append + next)))) {
      decisions.push(Object.values(outcome.decisions).flat().length);
      completed = outcome.state === "completed";
      if (completed) break;
      expect(outcome).toMatchObject({ state: "interrupted", verdict: null, failure: { code: "interrupted" } });
    }
  }
  // What was answered is there: no append knows less than the one before it.
  expect(decisions).toEqual([...decisions].sort((a, b) => a - b));
  expect(decisions.at(-1)).toBeGreaterThan(3);
});
