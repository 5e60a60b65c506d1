import { expect, test } from "bun:test";
import { systemClock } from "../../src/runtime/clock.ts";
import { aService } from "./service.ts";

test("the uptime is in whole milliseconds since the start", async () => {
  let ticks = 500.2;
  await using service = aService({ services: { clock: { ...systemClock, ticks: () => ticks } } });
  ticks = 1_700.9;
  expect(await (await service.get("/api/health")).json()).toMatchObject({ uptime_ms: 1_201 });
});
