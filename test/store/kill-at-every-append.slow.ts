import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Value } from "@sinclair/typebox/value";
import { SessionOutcome } from "../../src/domain/session.ts";
import { systemClock, systemEntropy } from "../../src/runtime/clock.ts";
import { readSession } from "../../src/store/read-session.ts";
import { sqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { temporaryDirectory } from "../temporary.ts";

const ROOT = join(import.meta.dir, "../..");
const from = (path: string) => JSON.stringify(join(ROOT, path));

/** `<state> <append>`: a run, short as can be, whose process kills itself when the append of that number is answered. */
const PROGRAM = `
  import { systemClock, systemEntropy } from ${from("src/runtime/clock.ts")};
  import { loadScenarioFile } from ${from("src/comparison/scenario/load-scenario.ts")};
  import { sqliteStore } from ${from("src/store/sqlite/sqlite-store.ts")};
  import { runOnce, testServices } from ${from("test/harness.ts")};
  const [state, lethal] = process.argv.slice(2);
  const store = sqliteStore(state, systemClock, systemEntropy);
  const { append } = store;
  let appends = 0;
  store.append = async (...call) => {
    const last = ++appends === Number(lethal);
    await append.apply(store, call);
    if (last) process.kill(process.pid, "SIGKILL");
  };
  const loaded = await loadScenarioFile(${from("scenarios/extract-rate-limit.yaml")});
  const arms = loaded.definition.arms.map((arm) => ({ ...arm, script: [{ say: "Done." }] }));
  await runOnce(testServices({}, { store, sandbox: "none" }), {
    ...loaded,
    definition: { ...loaded.definition, arms },
  });`;

/** Bundled, because it is started a dozen times. */
async function bundledIn(directory: string): Promise<string> {
  writeFileSync(join(directory, "program.ts"), PROGRAM);
  await Bun.build({
    entrypoints: [join(directory, "program.ts")],
    target: "bun",
    splitting: true,
    minify: true,
    outdir: directory,
  });
  return join(directory, "program.js");
}

async function killedAt(program: string, append: number): Promise<SessionOutcome> {
  using directory = temporaryDirectory();
  const child = Bun.spawn([process.execPath, program, directory.path, String(append)], {
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
  using directory = temporaryDirectory();
  const program = await bundledIn(directory.path);
  const decisions: number[] = [];
  for (let append = 1, completed = false; !completed; append += 4) {
    for (const outcome of await Promise.all([0, 1, 2, 3].map((next) => killedAt(program, append + next)))) {
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
