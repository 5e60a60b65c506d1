import { expect, test } from "bun:test";
import type { SessionOutcome } from "../../src/domain/session.ts";
import { allowedOrigins } from "../../src/doors/http/allowed-callers.ts";
import { aService, jsonPost, type TestService } from "./service.ts";

const BLIND = { order: "ba", choice: "a", blind: true };

async function finished(service: TestService): Promise<SessionOutcome> {
  const response = await service.post("/api/runs", { scenario: "quick" });
  return (await response.json()) as SessionOutcome;
}

test("a vote is answered as it is stored, and stands in its session", async () => {
  await using service = aService({ persistent: true });
  const { session_id, verdict } = await finished(service);
  const asked = { ...BLIND, verdict_id: verdict?.verdict_id, reason: "<b>Shorter</b>", voter: "Ada" };
  const response = await service.post(`/api/sessions/${session_id}/votes`, asked);
  const vote = await response.json();
  expect([response.status, vote]).toMatchObject([200, { ...BLIND, reason: "<b>Shorter</b>", voter: "Ada" }]);
  const stored = (await (await service.get(`/api/sessions/${session_id}`)).json()) as SessionOutcome;
  expect(stored).toMatchObject({ verdict, votes: [vote] });
});

test.each([
  ["a choice that is none", { ...BLIND, choice: "left" }, 422, "invalid_request"],
  ["no word on what was seen", { order: "ab", choice: "a" }, 422, "invalid_request"],
  ["a reason of another length", { ...BLIND, reason: "x".repeat(2_001) }, 422, "invalid_request"],
  ["a name of another length", { ...BLIND, voter: "x".repeat(101) }, 422, "invalid_request"],
  ["a field of another request", { ...BLIND, arm_a: null }, 422, "invalid_request"],
  ["a verdict that is not the session's", { ...BLIND, verdict_id: "verdict-other" }, 422, "invalid_request"],
] as const)("it is refused: %s", async (_what, body, status, code) => {
  await using service = aService();
  const { session_id } = await finished(service);
  const response = await service.post(`/api/sessions/${session_id}/votes`, body);
  expect([response.status, await response.json()]).toEqual([status, { error: expect.objectContaining({ code }) }]);
  expect((await service.services.store.read(session_id)).filter(({ entry }) => entry.type === "voted")).toEqual([]);
});

test("an unknown session takes no vote, and another site sends none where origins are listed", async () => {
  await using service = aService({ app: { origins: allowedOrigins(["https://dash.example.com"]) } });
  const path = "/api/sessions/session-quick-20260102T030405678Z/votes";
  expect((await service.post(path, BLIND)).status).toBe(404);
  const { headers, ...post } = jsonPost(BLIND);
  const elsewhere = { ...post, headers: { ...headers, origin: "https://evil.example" } };
  expect((await service.fetch(path, elsewhere)).status).toBe(403);
});
