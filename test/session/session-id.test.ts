import { expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { prepareSession } from "../../src/comparison/planning/prepare-session.ts";
import { sessionId } from "../../src/comparison/session/run/conduct-session.ts";
import { startSession } from "../../src/comparison/session/start-session.ts";
import { Failure } from "../../src/domain/failure.ts";
import { SessionId } from "../../src/domain/session.ts";
import { stopRuns } from "../../src/doors/operation/runs.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { bundled, testServices } from "../harness.ts";

const AT = new Date("2026-01-02T03:04:05.999Z");

test("an id names its scenario and the UTC time to the millisecond", () => {
  const id = sessionId("pager-last-page", AT);
  expect(id).toBe("session-pager-last-page-20260102T030405999Z");
  expect(Value.Check(SessionId, id)).toBe(true);
});

test("an id that is taken bumps the millisecond, over the second too", async () => {
  const services = testServices({}, { clock: { ...systemClock, now: () => AT } });
  const plan = await prepareSession(services, await bundled("extract-rate-limit"), {});
  const started = [startSession(services, plan), startSession(services, plan), startSession(services, plan)];
  const ids = (await Promise.all(started)).map(({ session_id }) => session_id);
  const times = ["030405999Z", "030406000Z", "030406001Z"];
  expect(ids).toEqual(times.map((time) => `session-extract-rate-limit-20260102T${time}`));
  await stopRuns(services, new Failure("cancelled", "The test is over."));
});
