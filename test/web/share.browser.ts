import { expect, test } from "bun:test";
import { join } from "node:path";
import { CHROMIUM } from "../machine.ts";
import { describeNeeding } from "../needs.ts";
import { temporaryDirectory } from "../temporary.ts";
import { shownText } from "./browser.ts";
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
        expect(await inspect(alone, "shared")).toEqual([]);
      }
      await alone.close();
    }
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
});
