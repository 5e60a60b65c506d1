import { expect } from "bun:test";
import type { SessionListing } from "../../src/domain/session-list.ts";
import { PRLIMIT } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { temporaryDirectory } from "../temporary.ts";
import { until } from "../turns.ts";
import { serve } from "./served.ts";
import { jsonPost } from "./service.ts";

/** Every new descriptor is refused; those that are open stay so. */
const limitTo = (pid: number, soft: number) => Bun.spawnSync(["prlimit", `--pid=${pid}`, `--nofile=${soft}:`]);

testNeeding(PRLIMIT)("a server without a free descriptor answers 503, and the scenario once one is free", async () => {
  await using server = await serve();
  const ask = () => fetch(`${server.url}/api/scenarios/log-triage`);
  // Its connection is kept for the next one, and what a scenario is read with is loaded.
  await (await fetch(`${server.url}/api/scenarios/suite-receipt`)).text();
  limitTo(server.child.pid, 3);
  const refused = await ask();
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "10"]);
  expect(await refused.json()).toEqual({
    error: { code: "overloaded", message: expect.stringContaining("ulimit -n"), details: { reason: "EMFILE" } },
  });
  limitTo(server.child.pid, 1_000);
  expect((await ask()).status).toBe(200);
});

testNeeding(PRLIMIT)(
  "a run that finds no free descriptor ends with what the machine lacks, and is answered with 503",
  async () => {
    using state = temporaryDirectory();
    await using server = await serve(["--state-dir", state.path]);
    const begun = async () => {
      const listed = (await (await fetch(`${server.url}/api/sessions`)).json()) as readonly SessionListing[];
      return listed.find(({ state }) => state === "running");
    };
    const answer = fetch(`${server.url}/api/runs`, jsonPost({ scenario: "log-triage" }));
    const { session_id } = await until(begun);
    limitTo(server.child.pid, 3);
    const refused = await answer;
    const lack = { code: "overloaded", message: expect.stringContaining("ulimit -n") };
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "10"]);
    expect(await refused.json()).toMatchObject({ error: { ...lack, details: { session_id } } });
    limitTo(server.child.pid, 1_000);
    const outcome = await (await fetch(`${server.url}/api/sessions/${session_id}`)).json();
    expect(outcome).toMatchObject({ state: "failed", failure: { ...lack, class: "infra", retryable: true } });
  },
);
