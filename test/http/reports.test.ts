import { expect, test } from "bun:test";
import type { SessionOutcome } from "../../src/domain/session.ts";
import { aService } from "./service.ts";

test("a session is saved as one page that loads nothing, and as Markdown", async () => {
  await using service = aService();
  const { session_id, verdict } = (await (
    await service.post("/api/runs", { scenario: "quick" })
  ).json()) as SessionOutcome;
  const page = await service.get(`/api/sessions/${session_id}/report`);
  expect(page.headers.get("content-type")).toBe("text/html;charset=utf-8");
  expect(page.headers.get("content-disposition")).toBe(`attachment; filename="${session_id}.html"`);
  expect(page.headers.get("content-security-policy")).toContain("sandbox");
  const html = await page.text();
  expect(html).toStartWith("<!doctype html>");
  for (const said of ["Scenario quick", "Good morning to you.", verdict?.judge.model ?? ""])
    expect(html).toContain(said);
  expect(html).not.toMatch(/\b(src|href)=|<script|@import|url\(/);
  const markdown = await (await service.get(`/api/sessions/${session_id}/report?format=markdown`)).text();
  expect(markdown).toStartWith("## abeval: quick");
});

test("a blind page names no arm, model, judge or winner; a redacted one has nothing that anybody wrote", async () => {
  await using service = aService();
  const { session_id } = (await (await service.post("/api/runs", { scenario: "quick" })).json()) as SessionOutcome;
  const page = async (format: string) =>
    await (await service.get(`/api/sessions/${session_id}/report?format=${format}`)).text();
  const blind = (await page("html-blind")).replace(/<style>.*<\/style>/s, "");
  expect(blind).toContain("Good morning to you.");
  for (const hidden of [/\bleft\b(?! out)/, /\bright\b/, /scripted/, /builtin/, /wins/, /Criteria/])
    expect(blind).not.toMatch(hidden);
  const redacted = await page("html-redacted");
  expect(redacted).toContain("Criteria");
  for (const hidden of ["Good morning", "Say hello", "Scenario quick"]) expect(redacted).not.toContain(hidden);
});

test("there is no file of a session or a series that is not there", async () => {
  await using service = aService();
  expect((await service.get("/api/sessions/session-x-20260101T000000000Z/report")).status).toBe(404);
  expect((await service.get("/api/series/series-20260101T000000000Z-01234567/report")).status).toBe(404);
  expect((await service.get("/api/sessions/session-x-20260101T000000000Z/report?format=pdf")).status).toBe(422);
});
