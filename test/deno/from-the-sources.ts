import { afterAll, expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../package.json";
import type { Verdict } from "../../src/domain/verdict.ts";
import { ROOT, scenarioFile } from "../abeval.ts";
import { testNeeding } from "../needs.ts";
import { temporaryDirectory } from "../temporary.ts";
import { installDeno, registry } from "./deno.ts";

const deno = installDeno();
afterAll(() => deno?.[Symbol.dispose]());

const testOnDeno = testNeeding(registry(deno));

const ON_BUN = [process.execPath];
/** Nothing is fetched: it runs on what Bun has installed. */
const ON_DENO = [deno?.program ?? "", "run", "--allow-all", "--no-lock", "--no-remote", "--quiet"];

async function abevalOn(runtime: readonly string[], args: readonly string[], path = `${deno?.bun}:/usr/bin:/bin`) {
  const child = Bun.spawn([...runtime, join(ROOT, "src/main.ts"), ...args], {
    cwd: ROOT,
    env: {
      PATH: path,
      HOME: deno?.home,
      DENO_NO_UPDATE_CHECK: "1",
    },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { status: await child.exited, stdout, stderr };
}

const RUN = ["run", scenarioFile("pager-last-page"), "--sandbox", "none", "--quiet"];

testOnDeno("the sources tell their version on Deno", async () => {
  expect(await abevalOn(ON_DENO, ["--version"])).toEqual({ status: 0, stdout: `${version}\n`, stderr: "" });
});

/** What no two runs have in common: ids, and the times in them and beside them. */
const withoutIdsAndTimes = ({ verdict_id, created_at, arm_a, arm_b, usage, ...verdict }: Verdict) => ({
  ...verdict,
  arm_a: { ...arm_a, session_id: null },
  arm_b: { ...arm_b, session_id: null },
  usage: { ...usage, latency_ms: null },
});

testOnDeno("a scenario runs on Deno from its file to the verdict, which is Bun's", async () => {
  const [onDeno, onBun] = await Promise.all([abevalOn(ON_DENO, RUN), abevalOn(ON_BUN, RUN)]);
  expect([onDeno.status, onDeno.stderr, onBun.status]).toEqual([0, "", 0]);
  const verdict = withoutIdsAndTimes(JSON.parse(onDeno.stdout));
  expect(verdict).toEqual(withoutIdsAndTimes(JSON.parse(onBun.stdout)));
  // Not both of them nothing.
  expect([verdict.outcome, verdict.winner, verdict.decided_by]).toEqual(["winner", "root-cause", "probe"]);
});

testOnDeno("on Deno without a Bun for the checks nobody wins or loses, and the statement says why", async () => {
  using bare = temporaryDirectory();
  const { status, stdout } = await abevalOn(ON_DENO, RUN, bare.path);
  const { outcome, winner, flags, statement } = JSON.parse(stdout) as Verdict;
  expect({ status, outcome, winner }).toEqual({ status: 3, outcome: "invalid", winner: null });
  expect(flags).toContain("check_could_not_run");
  expect(statement).toContain("bun is not found");
});

testOnDeno("on Deno a schema is asked by a child, which Deno runs too", async () => {
  using directory = temporaryDirectory();
  const file = join(directory.path, "schema.yaml");
  const schema = { type: "object", properties: { total: { type: "integer" } } };
  const arms = Object.entries({ right: '{"total": 3}', wrong: '{"total": "3"}' }).map(([id, say]) => ({
    ...{ id, model: `scripted/${id}`, script: [{ say }] },
  }));
  const rubric = { criteria: [{ id: "turns", measure: "turns" }], judge: { model: "builtin/evidence" } };
  const probe = { checks: [{ answer_json: schema, required: true }] };
  writeFileSync(file, JSON.stringify({ name: "schema", task: { prompt: "Add.", probe }, arms, rubric }));
  const { status, stdout, stderr } = await abevalOn(ON_DENO, ["run", file, "--sandbox", "none", "--quiet"]);
  expect([status, stderr, (JSON.parse(stdout) as Verdict).winner]).toEqual([0, "", "right"]);
});

const NEEDING_BUN: Readonly<Record<string, readonly [args: readonly string[], said: string]>> = {
  serve: [["serve"], 'abeval: "serve" needs Bun: https://bun.sh\n'],
  mcp: [["mcp"], 'abeval: "mcp" needs Bun: https://bun.sh\n'],
  "--state-dir": [
    [...RUN, "--state-dir", "/dev/null/state"],
    "abeval: --state-dir needs Bun, which has the database; without it sessions stay in memory\nSee: abeval run --help\n",
  ],
};

for (const [name, [args, said]] of Object.entries(NEEDING_BUN))
  testOnDeno(`who asks Deno for ${name} is told that it needs Bun`, async () => {
    expect(await abevalOn(ON_DENO, args)).toEqual({ status: 2, stdout: "", stderr: said });
  });
