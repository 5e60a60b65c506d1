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
    expect(complaints).toEqual([]);
  }, 60_000);

  test("finds in 100,000 names that hold markup, and the keys reach each of those that are alike", async () => {
    const { session_id } = await web.service.run("quick");
    await using reader = await web.visit();
    const { page, complaints } = reader;
    const [row] = (await (await fetch(`${web.service.url}/api/sessions?limit=1`)).json()) as object[];
    const alike = Array.from({ length: 8 }, (_, n) => ({ ...row, session_id: session_id.replace(/\d\dZ$/, `0${n}Z`) }));
    await page.route("**/api/sessions?*", (route) => route.fulfill({ json: alike }));
    const scenarios = Array.from({ length: 100_000 }, (_, n) => ({
      ...{ name: `name-${n}`, title: `<img src=x onerror=alert(1)> \u202e${n}`, arms: [] },
    }));
    await page.route("**/api/scenarios", (route) => route.fulfill({ json: scenarios }));
    await page.goto("/series/results");
    await page.keyboard.press("Control+k");
    const field = page.getByRole("combobox", { name: "Find a scenario" });
    await field.fill("onerror 99999");
    await page.getByRole("option", { name: "name-99999" }).waitFor();
    expect(await page.locator("img[src=x]").count()).toBe(0);
    await field.fill("quick, ");
    await page.getByRole("option", { name: "Session" }).nth(7).waitFor();
    const places = new Set<string | null>();
    for (let step = 0; step < 8; step += 1) {
      await page.keyboard.press("ArrowDown");
      places.add(await field.getAttribute("aria-activedescendant"));
    }
    expect(places.size).toBe(8);
    expect(complaints).toEqual([]);
  }, 60_000);

  test("keeps what is typed before its code is there", async () => {
    await using reader = await web.visit();
    const { page, complaints } = reader;
    const read = Promise.withResolvers<void>();
    await page.goto("/sessions");
    await page.getByRole("searchbox").waitFor();
    await page.route(/\.js$/, async (route) => {
      await read.promise;
      await route.continue();
    });
    await page.keyboard.press("Control+k");
    await page.keyboard.type("dox");
    await page.keyboard.press("Backspace");
    read.resolve();
    const field = page.getByRole("combobox", { name: "Find a scenario" });
    await field.waitFor();
    await page.keyboard.type("ctor");
    expect(await field.inputValue()).toBe("doctor");
    expect(await page.getByRole("searchbox").inputValue()).toBe("");
    expect(complaints).toEqual([]);
  }, 60_000);

  test("shows no session that other words found", async () => {
    await web.service.run("quick");
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await page.goto("/sessions");
    await page.keyboard.press("Control+k");
    await page.getByRole("option", { name: "Session" }).first().waitFor();
    await page.route("**/api/sessions?*", () => undefined);
    // In the same task as the key: an Enter may come right behind it.
    const shown = await page.evaluate<string[]>(`(async () => {
      const field = document.querySelector(".palette input");
      field.value = "nothing is called this";
      field.dispatchEvent(new InputEvent("input", { bubbles: true }));
      for (let turn = 0; turn < 20; turn += 1) await null;
      return [...document.querySelectorAll(".palette [role=option]")].map((option) => option.textContent);
    })()`);
    expect(shown).toEqual([]);
    expect(complaints).toEqual([]);
  }, 60_000);

  test("stands first in the help, which names no key that does nothing on the page", async () => {
    await web.service.run("quick");
    await using reader = await web.visit();
    const { page, complaints } = reader;
    const help = async (path: string, ready: string) => {
      await page.goto(path);
      await page.locator(ready).first().waitFor();
      await page.keyboard.press("?");
      return await shownText(page.getByRole("dialog"));
    };
    const ofDoctor = await help("/doctor", ".checks li");
    expect(ofDoctor).toContain("Find a scenario, series, session or action");
    expect(ofDoctor).toContain("Next section or row");
    const elsewhere = ["Go to the filter of a list", "Pick an arm", "every decision"];
    for (const text of elsewhere) expect(ofDoctor).not.toContain(text);
    const ofSessions = await help("/sessions", "tr.session");
    for (const text of elsewhere.slice(0, 2)) expect(ofSessions).toContain(text);
    expect(complaints).toEqual([]);
  }, 60_000);
});
