import { expect } from "bun:test";
import { PRLIMIT } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { serve } from "./served.ts";

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
