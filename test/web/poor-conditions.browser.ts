import { expect, test } from "bun:test";
import { CHROMIUM } from "../machine.ts";
import { describeNeeding } from "../needs.ts";
import { shownText } from "./browser.ts";
import { webService } from "./web-service.ts";

describeNeeding(CHROMIUM)("under poor conditions a reader", () => {
  const web = webService();

  test("whose network is cut is told so, keeps what was read and typed, and goes on without a reload", async () => {
    const { session_id } = await web.service.run("quick");
    await using reader = await web.visit();
    const { page, context } = reader;
    await page.goto("/scenarios/quick");
    await page.getByLabel("Judge model").fill("builtin/evidence");
    await page.evaluate("window.loadedOnce = true");
    await context.setOffline(true);
    await page.getByRole("button", { name: "Run both arms" }).click();
    await page.getByText("The server was not asked").waitFor();
    await page.getByText("The server does not answer. Trying again every second").waitFor();
    expect(await shownText(page.locator("main"))).toContain("What differs between the arms");
    await context.setOffline(false);
    await page.locator(".connection").waitFor({ state: "hidden" });
    expect(await page.getByLabel("Judge model").inputValue()).toBe("builtin/evidence");
    await context.setOffline(true);
    // The code of this page was never read.
    await page.getByRole("link", { name: "Sessions", exact: true }).click();
    await page.getByText("Could not read this page").waitFor();
    await context.setOffline(false);
    await page.getByText(session_id).waitFor();
    expect(await page.evaluate("window.loadedOnce")).toBe(true);
  }, 60_000);

  test("whose processor is four times slower runs, watches, reads and compares all the same", async () => {
    await using reader = await web.visit();
    const { page, context, complaints } = reader;
    const processor = await context.newCDPSession(page);
    await processor.send("Emulation.setCPUThrottlingRate", { rate: 4 });
    await page.goto("/scenarios/quick");
    await page.getByRole("button", { name: "Run both arms" }).click();
    await page.waitForURL(/\/(live|sessions)\//);
    await page.getByRole("heading", { name: "Both judging orders" }).waitFor();
    await page.getByRole("slider", { name: "Weight of turns" }).press("Home");
    await page.getByText("The outcome flips.").waitFor();
    await page.getByRole("button", { name: "Judge again" }).click();
    await page.getByRole("link", { name: "comparison of these two" }).click();
    await page.getByText("changed differently: A +1 −0, B +1 −0").waitFor();
    expect(await page.locator(".line-text").allTextContents()).toEqual(["Hello.", "Good morning."]);
    expect(complaints).toEqual([]);
  }, 60_000);
});
