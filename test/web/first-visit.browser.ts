import { expect, test } from "bun:test";
import type { Page, Request } from "playwright-core";
import { CHROMIUM } from "../machine.ts";
import { describeNeeding } from "../needs.ts";
import { PHONE } from "./browser.ts";
import { JUDGE_NAME } from "./judge-name.ts";
import { webService } from "./web-service.ts";

/** Bytes of the app that a first visit may take, compressed. */
const MOST_BYTES = 80_000;

/** The browser is not idle before `becomeIdle()`. */
const BUSY = `{
  const held = [];
  let idle = false;
  globalThis.requestIdleCallback = (act) => (idle ? setTimeout(act) : held.push(act));
  globalThis.becomeIdle = () => {
    idle = true;
    for (const act of held.splice(0)) act();
  };
}`;

describeNeeding(CHROMIUM)("a first visit", () => {
  const web = webService();

  test("to a verdict takes 80 kB of the app; diffs come when the browser is idle, colours when they are near", async () => {
    const { session_id } = await web.service.run("extract-rate-limit", JUDGE_NAME);
    await using reader = await web.visit({ viewport: PHONE });
    const { page, complaints } = reader;
    await page.addInitScript(BUSY);
    const taken = filesTakenBy(page);
    await page.goto(`/sessions/${session_id}`);
    await page.getByRole("heading", { name: "What people say" }).waitFor();
    await page.waitForLoadState("networkidle");
    expect(await sum(taken)).toBeWithin(20_000, MOST_BYTES);
    const before = taken.length;
    await page.evaluate("becomeIdle()");
    // To search them, to print them, for when the server is gone.
    await page.locator(".arm-changes").nth(1).waitFor({ state: "attached" });
    expect(await page.evaluate("scrollY")).toBe(0);
    expect(taken.length).toBeGreaterThan(before);
    await page.getByRole("heading", { name: "What they changed" }).scrollIntoViewIfNeeded();
    await page.locator(".arm-changes [class^='hljs-']").first().waitFor();
    expect(complaints).toEqual([]);
  }, 60_000);

  test("to a series takes 80 kB of the app", async () => {
    const series_id = await web.service.runSeries({ scenarios: ["quick"], trials: 2 });
    await using reader = await web.visit();
    const { page, complaints } = reader;
    const taken = filesTakenBy(page);
    await page.goto(`/series/${series_id}`);
    await page.getByText("Plan and limits").waitFor();
    await page.waitForLoadState("networkidle");
    expect(await sum(taken)).toBeWithin(20_000, MOST_BYTES);
    expect(complaints).toEqual([]);
  }, 60_000);
});

/** What the page has read of the app so far: bytes of each answer, as they were transferred. */
function filesTakenBy(page: Page): Promise<number>[] {
  const taken: Promise<number>[] = [];
  page.on("requestfinished", (request) => {
    if (!new URL(request.url()).pathname.startsWith("/api/")) taken.push(bytesOf(request));
  });
  return taken;
}

async function bytesOf(request: Request): Promise<number> {
  const { responseHeadersSize, responseBodySize } = await request.sizes();
  return responseHeadersSize + responseBodySize;
}

const sum = async (parts: readonly Promise<number>[]) =>
  (await Promise.all(parts)).reduce((all, part) => all + part, 0);
