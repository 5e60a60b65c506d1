import { expect, test } from "bun:test";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import type { Verdict } from "../../src/domain/verdict.ts";
import { CHROMIUM } from "../machine.ts";
import { describeNeeding } from "../needs.ts";
import { temporaryDirectory } from "../temporary.ts";
import { PHONE, shownText, WIDE } from "./browser.ts";
import { inspect } from "./inspect.ts";
import { webService } from "./web-service.ts";

describeNeeding(CHROMIUM)("a verdict that is shared", () => {
  const web = webService();

  test("is one page that is read without the server, on every screen and in both themes", async () => {
    using directory = temporaryDirectory();
    const { session_id } = await web.service.run("hostile");
    await using reader = await web.visit();
    const { page, context } = reader;
    await page.goto(`/sessions/${session_id}`);
    await page.getByText("Share", { exact: true }).click();
    const file = join(directory.path, "verdict.html");
    for (const [name, shown] of [
      ["HTML file", "Criteria"],
      ["HTML, blind", "Which is better?"],
      ["HTML, figures only", "Criteria"],
    ] as const) {
      const download = page.waitForEvent("download");
      await page.getByRole("link", { name, exact: true }).click();
      await (await download).saveAs(file);
      const alone = await context.newPage();
      const faults: string[] = [];
      alone.on("console", (message) => faults.push(message.text()));
      await alone.goto(`file://${file}`);
      expect(await shownText(alone.locator("main"))).toContain(shown);
      expect(await alone.locator("script, img, link").count()).toBe(0);
      expect(faults).toEqual([]);
      if (name === "HTML file") {
        await context.setOffline(true);
        await alone.reload();
        await context.setOffline(false);
      }
      expect(await inspect(alone, `shared ${name}`)).toEqual([]);
      await alone.close();
    }
  }, 60_000);

  test("is said to be missing, with what is known, where a run failed", async () => {
    const session_id = await web.service.start("unprepared");
    await (await fetch(`${web.service.url}/api/runs/${session_id}/stream`)).text();
    await using reader = await web.visit();
    const { page, context, complaints } = reader;
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.goto(`/sessions/${session_id}`);
    await page.getByText("Share", { exact: true }).click();
    await page.getByRole("button", { name: "Copy as Markdown" }).click();
    await page.getByText("Copied.").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toContain("failed while preparing");
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "HTML file", exact: true }).click();
    const saved = await download;
    const alone = await context.newPage();
    await alone.setContent(await Bun.file(await saved.path()).text());
    const said = await shownText(alone.locator("main"));
    for (const known of ["failed while preparing", "checksum mismatch", session_id]) expect(said).toContain(known);
    expect(complaints).toEqual([]);
  }, 60_000);

  test("is copied as Markdown", async () => {
    const { session_id } = await web.service.run("quick");
    await using reader = await web.visit();
    const { page, context, complaints } = reader;
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.goto(`/sessions/${session_id}`);
    await page.getByText("Share", { exact: true }).click();
    await page.getByRole("button", { name: "Copy as Markdown" }).click();
    await page.getByText("Copied.").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toStartWith("## abeval: quick");
    expect(complaints).toEqual([]);
  }, 60_000);

  test("of a series is one page too, with every trial, on every screen and in both themes", async () => {
    using directory = temporaryDirectory();
    const series_id = await web.service.runSeries({ scenarios: ["quick"], trials: 3 });
    await using reader = await web.visit();
    const { page, context, complaints } = reader;
    await page.goto(`/series/${series_id}`);
    await page.getByText("Share", { exact: true }).click();
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "HTML file", exact: true }).click();
    const file = join(directory.path, "series.html");
    await (await download).saveAs(file);
    const alone = await context.newPage();
    await alone.goto(`file://${file}`);
    expect(await alone.getByRole("img", { name: "short won: 3" }).locator(".trial.a").count()).toBe(3);
    await alone.getByText("3 trials", { exact: true }).click();
    expect(await alone.getByRole("row").filter({ hasText: "session-quick-" }).count()).toBe(3);
    await alone.getByRole("img", { name: "Evidence after 3 trials" }).locator("polyline").waitFor();
    expect(await inspect(alone, "shared-series")).toEqual([]);
    expect(complaints).toEqual([]);
  }, 60_000);

  test.each([
    ["a wide window", WIDE],
    ["a phone", PHONE],
  ] as const)(
    "of a later judging is saved in each form and copied, by keyboard alone on %s",
    async (_, viewport) => {
      const [one, other] = [await web.service.run("quick"), await web.service.run("quick")];
      await using reader = await web.visit({ viewport });
      const { page, context, complaints } = reader;
      await context.grantPermissions(["clipboard-read", "clipboard-write"]);
      for (const [first, second] of [
        [`${one.session_id}/long`, `${one.session_id}/short`],
        [`${one.session_id}/short`, `${other.session_id}/short`],
      ] as const) {
        const verdict_id = await judgedAgain(page, first, second);
        await page.goto(`/sessions/${one.session_id}?verdict=${verdict_id}`);
        await pressOn(page, page.getByText("Share", { exact: true }));
        for (const [name, shown] of [
          ["HTML file", "judged again"],
          ["HTML, blind", "Which is better?"],
          ["HTML, figures only", "judged again"],
        ] as const) {
          const download = page.waitForEvent("download");
          await pressOn(page, page.getByRole("link", { name, exact: true }));
          const saved = await download;
          expect(saved.suggestedFilename()).toBe(`${verdict_id}.html`);
          expect(await Bun.file(await saved.path()).text()).toContain(shown);
        }
        await pressOn(page, page.getByRole("button", { name: "Copy as Markdown" }));
        await page.getByText("Copied.").waitFor();
        expect(await page.evaluate("navigator.clipboard.readText()")).toContain(verdict_id);
      }
      expect(complaints).toEqual([]);
    },
    60_000,
  );
});

/** Tabs to it, and presses Enter. */
async function pressOn(page: Page, control: Locator): Promise<void> {
  await control.waitFor();
  for (;;) {
    if (await control.evaluate((element) => element === document.activeElement)) break;
    await page.keyboard.press("Tab");
  }
  await page.keyboard.press("Enter");
}

async function judgedAgain(page: Page, a: string, b: string): Promise<string> {
  const pointer = (text: string) => ({ session_id: text.split("/")[0], arm_id: text.split("/")[1] });
  const answer = await page.request.post("/api/verdicts", { data: { arm_a: pointer(a), arm_b: pointer(b) } });
  return ((await answer.json()) as Verdict).verdict_id;
}
