import { expect, test } from "bun:test";
import { CHROMIUM } from "../machine.ts";
import { describeNeeding } from "../needs.ts";
import { shownText } from "./browser.ts";
import { inspect } from "./inspect.ts";
import { webService } from "./web-service.ts";

describeNeeding(CHROMIUM)("two arms that were picked", () => {
  const web = webService();

  test("stand side by side before a judge is paid: facts, checks, answers, changes, steps", async () => {
    const { session_id } = await web.service.run("quick");
    const other = await web.service.run("quick");
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await page.goto(`/compare?a=${session_id}/short&b=${other.session_id}/long`);
    await page.getByRole("button", { name: "Judge", exact: true }).waitFor();
    const shown = await shownText(page.locator("main"));
    for (const part of ["Both arms in numbers", "Hidden checks", "What they changed", "What they did", "Hello."])
      expect(shown).toContain(part);
    expect(await page.locator("td .difference").count()).toBeGreaterThan(0);
    expect(await inspect(page, "compare-before")).toEqual([]);
    expect(complaints).toEqual([]);
  }, 60_000);

  test("have no names for a blind reader", async () => {
    const { session_id } = await web.service.run("quick");
    await using reader = await web.visit();
    const { page } = reader;
    await page.goto("/sessions");
    await page.getByRole("button", { name: "Blind" }).click();
    await page.goto(`/compare?a=${session_id}/short&b=${session_id}/long`);
    await page.getByText("Both arms in numbers").waitFor();
    const shown = await shownText(page.locator("main"));
    for (const hidden of ["short", "long", "scripted/"]) expect(shown).not.toContain(hidden);
  }, 60_000);
});
