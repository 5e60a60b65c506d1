import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { CHROMIUM } from "../machine.ts";
import { describeNeeding } from "../needs.ts";
import { launchBrowser, visit } from "../web/browser.ts";
import { aService } from "./service.ts";

/** Scalar's own remark on an option that the plugin needs. */
const EXPECTED = /^\[DEPRECATED\] You're using the deprecated 'spec\.url' attribute/;

describeNeeding(CHROMIUM)("the page about the API, in a browser", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(async () => await browser?.close());

  test("shows routes and samples, finds a type, and sends a request, all from this server", async () => {
    await using service = aService();
    const { url } = service.listen();
    await using reader = await visit(browser, url);
    const { page, complaints } = reader;
    const asked: string[] = [];
    page.on("request", (request) => void asked.push(`${request.method()} ${request.url()}`));

    await page.goto("/api/docs");
    await page.getByRole("heading", { name: "Liveness" }).waitFor();
    await page.getByText(`curl ${url}/api/health`).first().waitFor();

    await page.getByRole("button", { name: "Test Request (get /api/health)" }).click();
    await page.getByRole("button", { name: /^Send/ }).first().click();
    await page.getByText("200 OK").first().waitFor();
    await page.keyboard.press("Escape");

    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("judge two stored arms");
    await page.getByRole("option").filter({ hasText: "/api/verdicts" }).first().waitFor();

    const offers = await page.getByRole("button", { name: /^(Ask AI|Developer Tools|Share|Deploy)$/ }).count();
    expect(offers).toBe(0);
    expect(asked).toEqual([
      `GET ${url}/api/docs`,
      `GET ${url}/api/docs/scalar.js`,
      `GET ${url}/api/openapi.json`,
      `GET ${url}/api/health`,
    ]);
    expect(complaints.filter((line) => !EXPECTED.test(line))).toEqual([]);
  });
});
