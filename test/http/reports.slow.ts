import { expect, test } from "bun:test";
import { momentText } from "../../src/domain/number-text.ts";
import type { SessionOutcome } from "../../src/domain/session.ts";
import { sha256 } from "../../src/domain/sha256.ts";
import type { ArmPointer, Verdict } from "../../src/domain/verdict.ts";
import { aService, type TestService } from "./service.ts";

async function ran(service: TestService): Promise<SessionOutcome> {
  return (await (await service.post("/api/runs", { scenario: "quick" })).json()) as SessionOutcome;
}

async function judged(service: TestService, arm_a: ArmPointer, arm_b: ArmPointer): Promise<Verdict> {
  return (await (await service.post("/api/verdicts", { arm_a, arm_b })).json()) as Verdict;
}

/** What a reader sees of a page. */
const bodyOf = (page: string) => page.replace(/<style>.*<\/style>/s, "");

test("a session is saved as one page that loads nothing, and as Markdown", async () => {
  await using service = aService();
  const { session_id, verdict } = await ran(service);
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
  const { session_id } = await ran(service);
  const page = async (format: string) =>
    await (await service.get(`/api/sessions/${session_id}/report?format=${format}`)).text();
  const blind = bodyOf(await page("html-blind"));
  expect(blind).toContain("Good morning to you.");
  for (const hidden of [/\bleft\b(?! out)/, /\bright\b/, /scripted/, /builtin/, /wins/, /Criteria/])
    expect(blind).not.toMatch(hidden);
  const redacted = await page("html-redacted");
  expect(redacted).toContain("Criteria");
  for (const hidden of ["Good morning", "Say hello", "Scenario quick"]) expect(redacted).not.toContain(hidden);
});

test("a session is a picture in both forms, which a page may show and which runs nothing", async () => {
  await using service = aService();
  const { session_id } = await ran(service);
  const svg = await service.get(`/api/sessions/${session_id}/card.svg`);
  expect(svg.headers.get("content-type")).toBe("image/svg+xml;charset=utf-8");
  expect(svg.headers.get("content-security-policy")).toContain("sandbox");
  expect(await svg.text()).toContain("<svg");
  const png = await service.get(`/api/sessions/${session_id}/card.png`);
  expect(png.headers.get("content-type")).toBe("image/png");
  expect(
    Buffer.from(await png.arrayBuffer())
      .subarray(1, 4)
      .toString(),
  ).toBe("PNG");
  for (const path of ["/api/sessions/session-x-20260101T000000000Z", "/api/series/series-20260101T000000000Z-01234567"])
    expect((await service.get(`${path}/card.svg`)).status).toBe(404);
});

test("a picture is sent once to whoever names the one that they have, and made once for all who ask", async () => {
  await using service = aService();
  const { session_id } = await ran(service);
  for (const format of ["svg", "png"]) {
    const path = `/api/sessions/${session_id}/card.${format}`;
    const pictures = await Promise.all(Array.from({ length: 30 }, () => service.get(path)));
    const bodies = await Promise.all(pictures.map(async (picture) => sha256(await picture.bytes())));
    expect([new Set(bodies).size, ...new Set(pictures.map(({ status }) => status))]).toEqual([1, 200]);
    const etag = pictures[0]?.headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[0-9a-f]{64}"$/);
    const known = await service.fetch(path, { headers: { "if-none-match": etag } });
    expect([known.status, await known.text(), known.headers.get("etag")]).toEqual([304, "", etag]);
    expect((await service.fetch(path, { headers: { "if-none-match": '"another"' } })).status).toBe(200);
  }
});

test("there is no file of a session or a series that is not there", async () => {
  await using service = aService();
  expect((await service.get("/api/sessions/session-x-20260101T000000000Z/report")).status).toBe(404);
  expect((await service.get("/api/series/series-20260101T000000000Z-01234567/report")).status).toBe(404);
  expect((await service.get("/api/sessions/session-x-20260101T000000000Z/report?format=pdf")).status).toBe(422);
});

test("a later verdict on the arms is saved in every form, with its own order of arms and what it cost", async () => {
  await using service = aService();
  const { session_id, verdict: first } = await ran(service);
  const { verdict_id } = await judged(service, { session_id, arm_id: "right" }, { session_id, arm_id: "left" });
  const report = (format: string) =>
    service.get(`/api/sessions/${session_id}/report?format=${format}&verdict_id=${verdict_id}`);
  const page = await report("html");
  expect(page.headers.get("content-disposition")).toBe(`attachment; filename="${verdict_id}.html"`);
  const html = bodyOf(await page.text());
  for (const said of ["judged again", verdict_id, "this judging $0", '<strong class="a">A</strong> right'])
    expect(html).toContain(said);
  expect(html.indexOf("Good morning to you.")).toBeLessThan(html.indexOf("Hello."));
  expect(await (await report("markdown")).text()).toContain(`verdict \`${verdict_id}\``);
  for (const format of ["html-blind", "html-redacted"]) expect((await report(format)).status).toBe(200);

  const own = (query: string) => service.get(`/api/sessions/${session_id}/report${query}`).then((sent) => sent.text());
  expect(await own(`?verdict_id=${first?.verdict_id}`)).toBe(await own(""));
});

test("a verdict across two sessions is saved from either, and tells two arms of one id apart", async () => {
  await using service = aService();
  const [one, other] = [await ran(service), await ran(service)];
  const pointer = ({ session_id }: SessionOutcome): ArmPointer => ({ session_id, arm_id: "left" });
  const { verdict_id } = await judged(service, pointer(one), pointer(other));
  const report = async ({ session_id }: SessionOutcome, format: string) =>
    await (await service.get(`/api/sessions/${session_id}/report?format=${format}&verdict_id=${verdict_id}`)).text();
  const html = await report(one, "html");
  expect(await report(other, "html")).toBe(html);
  for (const { session_id } of [one, other]) expect(html).toContain(`Session ${session_id}`);
  expect(html).toContain(
    `Arm A ran ${momentText(one.created_at)}, arm B ${momentText(other.created_at)}; judged again`,
  );
  expect(await report(one, "markdown")).toContain("|  | left (arm&#95;a) | left (arm&#95;b) |");

  const blind = bodyOf(await report(other, "html-blind"));
  for (const hidden of [one.session_id, other.session_id, /\bleft\b(?! out)/, /scripted/, /Criteria/])
    expect(blind).not.toMatch(hidden);
  expect(blind).toContain(verdict_id);
  expect(bodyOf(await report(one, "html-redacted"))).not.toContain("Say hello");
});

test("a verdict that is not in the session is refused by name", async () => {
  await using service = aService();
  const { session_id } = await ran(service);
  const refused = await service.get(`/api/sessions/${session_id}/report?verdict_id=verdict-of-nobody`);
  expect(refused.status).toBe(422);
  expect(await refused.json()).toMatchObject({
    error: {
      code: "invalid_request",
      details: { field: "verdict_id" },
      message: `${session_id} has no verdict "verdict-of-nobody"`,
    },
  });
});
