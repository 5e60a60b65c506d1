import { expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { SessionId } from "../../src/domain/session.ts";
import { SessionIds, sessionId } from "../../src/session/session-id.ts";

const AT = new Date("2026-01-02T03:04:05.999Z");

test("an id names its scenario and the UTC time to the millisecond", () => {
  const id = sessionId("pager-last-page", AT);
  expect(id).toBe("session-pager-last-page-20260102T030405999Z");
  expect(Value.Check(SessionId, id)).toBe(true);
});

test("a taken id bumps the millisecond, over the second too", () => {
  const taken = new Set([sessionId("s", AT)]);
  expect(new SessionIds().claim("s", AT, (id) => !taken.has(id))).toBe("session-s-20260102T030406000Z");
});

test("a thousand sessions of one millisecond ask once each", () => {
  const ids = new SessionIds();
  const asked: string[] = [];
  const accept = (id: string) => asked.push(id) > 0;
  const given = Array.from({ length: 1_000 }, () => ids.claim("s", AT, accept));
  expect(asked).toEqual(given);
  expect(new Set(given).size).toBe(1_000);
  expect(ids.claim("other", AT, accept)).toBe(sessionId("other", AT));
});

test("an id is of its time, also after the clock has leapt ahead and was set back", () => {
  const ids = new SessionIds();
  for (const seconds of [60, 0, 30]) {
    const at = new Date(AT.getTime() + seconds * 1_000);
    expect(ids.claim("s", at, () => true)).toBe(sessionId("s", at));
  }
});
