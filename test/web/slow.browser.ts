import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { CHROMIUM } from "../machine.ts";
import { describeNeeding } from "../needs.ts";
import { webService } from "./web-service.ts";

/** Clicks the first such element in the moment in which it is drawn. */
const clickAtOnce = (page: Page, selector: string) =>
  page.addInitScript((wanted) => {
    const watch = new MutationObserver(() => {
      const found = document.querySelector<HTMLElement>(wanted);
      if (!found) return;
      watch.disconnect();
      found.click();
    });
    watch.observe(document, { childList: true, subtree: true });
  }, selector);

describeNeeding(CHROMIUM)("a reader who is faster than the page or its server", () => {
  const web = webService();

  test.each([
    ["a step", "details.decision", ".decision-detail", (id: string) => `/live/${id}?stay`],
    ["a long file", "details.file", ".line-text", (id: string) => `/sessions/${id}/diff`],
  ] as const)(
    "opens %s in the moment in which it is drawn, and reads it",
    async (_, fold, inside, path) => {
      const { session_id } = await web.service.run("big");
      await using reader = await web.visit();
      const { page, complaints } = reader;
      await clickAtOnce(page, `${fold} > summary`);
      await page.goto(path(session_id));
      await page.locator(fold).first().locator(inside).first().waitFor({ timeout: 15_000 });
      expect(complaints).toEqual([]);
    },
    60_000,
  );
});
