import { expect, test } from "bun:test";
import { CHROMIUM } from "../machine.ts";
import { describeNeeding } from "../needs.ts";
import { shownText } from "./browser.ts";
import { inspect } from "./inspect.ts";
import { webService } from "./web-service.ts";

describeNeeding(CHROMIUM)("the command palette", () => {
  const web = webService();

  test("leads by keys alone to scenarios, sessions and actions, from every page", async () => {
    const { session_id } = await web.service.run("quick");
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await page.goto("/sessions");
    await page.getByRole("searchbox").focus();
    await page.keyboard.press("Control+k");
    const field = page.getByRole("combobox", { name: "Find a scenario" });
    await field.fill("extract rate");
    await page.getByRole("option", { name: "Scenario" }).first().waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/scenarios\/extract-rate-limit/);
    await page.keyboard.press("Control+k");
    await field.fill(session_id.slice(-19));
    const option = page.getByRole("option", { name: "Session" });
    // Strict: more than one would be an error. The list may be drawn anew while it is read.
    await option.waitFor();
    expect(await inspect(page, "palette")).toEqual([]);
    await page.keyboard.press("Enter");
    await page.waitForURL(new RegExp(session_id));
    await page.keyboard.press("Control+k");
    await field.fill("nothing is called this");
    await page.getByText("Nothing is like that.").waitFor();
    await field.fill("doctor");
    await page.getByRole("option", { name: "Go to the doctor" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/doctor/);
    await page.keyboard.press("Control+k");
    await field.waitFor();
    await page.keyboard.press("Escape");
    await field.waitFor({ state: "detached" });
    await page.keyboard.press("?");
    expect(await shownText(page.getByRole("dialog"))).toContain("Find a scenario, series, session or action");
    expect(complaints).toEqual([]);
  }, 60_000);
});
