import { expect, test } from "bun:test";
import { CHROMIUM } from "../machine.ts";
import { describeNeeding } from "../needs.ts";
import { inspect } from "./inspect.ts";
import { webService } from "./web-service.ts";

describeNeeding(CHROMIUM)("a duel as a file", () => {
  const web = webService();

  test("plays without a script, can be held, and shows everything when it does not play", async () => {
    const { session_id } = await web.service.run("quick");
    const report = await fetch(`${web.service.url}/api/sessions/${session_id}/report?format=html-duel`);
    await using reader = await web.visit();
    const { page } = reader;
    await page.setContent(await report.text());
    const end = page.getByText("apart", { exact: false }).last();
    const shown = async () =>
      (await end.locator("xpath=..").evaluate((place) => getComputedStyle(place).opacity)) === "1";
    expect(await shown()).toBe(true);
    await page.getByLabel("Pause").check();
    await page.getByLabel("Play").check();
    expect(await shown()).toBe(false);
    await page.keyboard.press("Space");
    expect(await shown()).toBe(true);
    expect(await inspect(page, "duel")).toEqual([]);
  }, 60_000);
});
