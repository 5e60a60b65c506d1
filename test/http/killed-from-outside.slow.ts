import { expect, test } from "bun:test";
import { join } from "node:path";
import { processTree, signalProcess } from "../../src/arms/sandbox/process/process-table.ts";
import type { SessionOutcome } from "../../src/domain/session.ts";
import { PROGRAM } from "../abeval.ts";
import { SANDBOX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { startRun } from "../postgres/fleet.ts";
import { LimitAround, MEMORY_LIMITS } from "../sandbox/limit-around.ts";
import { until } from "../turns.ts";
import { Directory, describeEachKind, processesWith } from "../workspace/harness.ts";
import { type Served, serve } from "./served.ts";
import { jsonPost } from "./service.ts";

const check = (line: string) => `name: tree
task: { prompt: Work., probe: { checks: [{ id: works, run: ${JSON.stringify(line)}, required: true }] } }
arms:
  - { id: left, model: scripted/left, script: [{ say: Done. }] }
  - { id: right, model: scripted/right, script: [{ say: Done. }] }
rubric: { criteria: [{ measure: probe_score }], judge: { model: builtin/evidence } }
`;

/** A server with a run whose hidden check is at work; `end` has it end, and gives what the next server knows of the run. */
async function withRun(kind: string, line: string, mark: string, end: (server: Served) => Promise<unknown>) {
  using directory = new Directory({ "tree.yaml": check(line) });
  const args = ["--scenarios-dir", directory.path, "--state-dir", join(directory.path, "state"), "--sandbox", kind];
  let id: string;
  {
    await using server = await serve(args);
    id = await startRun(server, "tree");
    await until(() => processesWith(mark).length > 0);
    await end(server);
    await server.child.exited;
  }
  await using next = await serve(args);
  const answer = await fetch(`${next.url}/api/sessions/${id}`);
  return (await answer.json()) as SessionOutcome;
}

/**
 * As a service manager does that tells the whole group to end. The commands hear it first, the server last; all rest
 * meanwhile, since a shell whose child ends would go on and succeed before it hears it, too.
 */
async function signalTree({ child }: Served): Promise<void> {
  const pids = (await processTree(child.pid)).map(({ pid }) => pid).toSorted((one, other) => other - one);
  for (const signal of ["SIGSTOP", "SIGTERM", "SIGCONT"] as const) for (const pid of pids) signalProcess(pid, signal);
}

describeEachKind("a server that is told to end with everything below it", (kind) => {
  test("judges nothing of a run whose command ended with it", async () => {
    const mark = `mark-${crypto.randomUUID()}`;
    const outcome = await withRun(kind, `: ${mark}; sleep 30; true`, mark, signalTree);
    expect(outcome).toMatchObject({
      state: "interrupted",
      verdict: null,
      failure: { code: "killed_from_outside", stage: "probing" },
    });
  });

  test("judges a run whose command failed by itself after that", async () => {
    const mark = `mark-${crypto.randomUUID()}`;
    const outcome = await withRun(kind, `: ${mark}; sleep 0.2; exit 1`, mark, async ({ child }) =>
      child.kill("SIGTERM"),
    );
    expect(outcome).toMatchObject({ state: "completed", failure: null });
    expect(outcome.arms.map(({ probe }) => probe?.checks[0]?.status)).toEqual(["fail", "fail"]);
  });
});

const GREEDY = `name: greedy
task: { prompt: Work., probe: { checks: [{ id: works, run: "true", required: true }] } }
arms:
  - { id: left, model: scripted/left, script: [{ say: Done. }] }
  - id: right
    model: scripted/right
    script: [{ calls: [{ run_command: { command: "head -c 900M /dev/zero | tail -c 900M | wc -c" } }] }, { say: Done. }]
rubric: { criteria: [{ measure: probe_score }], judge: { model: builtin/evidence } }
`;

testNeeding(SANDBOX, MEMORY_LIMITS)(
  "a server whose container runs out of memory judges nothing of a run whose command was killed for that, and lives on",
  async () => {
    using directory = new Directory({ "greedy.yaml": GREEDY });
    using around = new LimitAround(700 * 2 ** 20);
    await using server = await serve(["--scenarios-dir", directory.path], {}, { program: around.inside(PROGRAM) });
    const answer = await fetch(`${server.url}/api/runs`, jsonPost({ scenario: "greedy" }));
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "10"]);
    expect(await answer.json()).toMatchObject({
      error: { code: "killed_from_outside", message: expect.stringContaining("ran out of memory") },
    });
  },
);
