import { beforeAll, expect, test } from "bun:test";
import { CHROMIUM } from "../machine.ts";
import { describeNeeding } from "../needs.ts";
import { JUDGE_NAME } from "./judge-name.ts";
import { webService } from "./web-service.ts";

/** What opens, the button that opens it, and what then is there. Without a path it is on the page of a verdict. */
const OPENED = [
  { name: "help", path: "/sessions", button: "Keyboard help", inside: "Single-key shortcuts" },
  { name: "the palette", path: "/sessions", button: "Find Ctrl K", inside: "Go to the doctor" },
  { name: "the form of a judging", path: null, button: "Judge again", inside: "Spends the judge's tokens only" },
];

describeNeeding(CHROMIUM)("what opens over a page", () => {
  const web = webService();
  let judged: string;
  beforeAll(async () => {
    judged = (await web.service.run("extract-rate-limit", JUDGE_NAME)).session_id;
  }, 60_000);

  test.each(OPENED)(
    "$name opens by Enter and by Space, closes by Escape, and gives the focus back",
    async ({ path, button, inside }) => {
      await using reader = await web.visit();
      const { page, complaints } = reader;
      await page.goto(path ?? `/sessions/${judged}`);
      const opener = page.getByRole("button", { name: button, exact: true });
      for (const key of ["Enter", "Space"]) {
        await opener.press(key);
        await page.getByRole("dialog").getByText(inside).first().waitFor();
        await page.keyboard.press("Escape");
        await page.getByRole("dialog").waitFor({ state: "hidden" });
        await opener.and(page.locator(":focus")).waitFor();
      }
      expect(complaints).toEqual([]);
    },
    60_000,
  );

  test("a space in the help that was just opened turns nothing off", async () => {
    await using reader = await web.visit();
    const { page } = reader;
    await page.goto("/sessions");
    await page.getByRole("button", { name: "Keyboard help", exact: true }).press("Enter");
    const shortcuts = page.getByLabel("Single-key shortcuts");
    await shortcuts.waitFor();
    await page.keyboard.press("Space");
    expect(await shortcuts.isChecked()).toBe(true);
  });

  test("ways to share open by Enter and by Space, close by Escape, and give the focus back", async () => {
    await using reader = await web.visit();
    const { page } = reader;
    await page.goto(`/sessions/${judged}`);
    const opener = page.locator("summary", { hasText: "Share" });
    for (const key of ["Enter", "Space"]) {
      await opener.press(key);
      await page.getByRole("button", { name: "Print" }).focus();
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Print" }).waitFor({ state: "hidden" });
      await opener.and(page.locator(":focus")).waitFor();
    }
  }, 60_000);
});
