import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import type { ChangedFile } from "../../src/domain/evidence.ts";
import type { SessionOutcome } from "../../src/domain/session.ts";
import { CHROMIUM } from "../machine.ts";
import { describeNeeding } from "../needs.ts";
import { shownText } from "./browser.ts";
import { inspect } from "./inspect.ts";
import { HEBREW } from "./scenarios.ts";
import { webService } from "./web-service.ts";

const LINES = 40;
const numbered = (changed: string) =>
  Array.from({ length: LINES }, (_, index) => (index === 19 ? `${changed}\n` : `line ${index + 1}\n`)).join("");

const modified = (path: string): ChangedFile => {
  const [before, after] = [numbered("const rows = floor(count);"), numbered("const rows = ceil(count);")];
  return { path, status: "modified", added: 1, removed: 1, binary: false, before, after };
};

const hunk = (path: string) =>
  `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -19,3 +19,3 @@\n line 19\n-const rows = floor(count);\n+const rows = ceil(count);\n line 21\n`;

/** The server has this session, and its first arm changed these files. */
async function tell(page: Page, session: SessionOutcome, paths: readonly string[]): Promise<void> {
  const files = paths.map(modified);
  const [first, second] = session.arms;
  const changes = { files, patch: paths.map(hunk).join(""), digest: "0".repeat(64), truncated: false };
  await page.route("**/api/sessions/session-*", (route) =>
    route.fulfill({ json: { ...session, arms: [{ ...first, changes }, second] } }),
  );
  await page.goto(`/sessions/${session.session_id}/diff`);
  await page.getByRole("navigation", { name: "Changed files" }).waitFor();
}

/**
 * The marked words, found and read in one look. A locator finds first and reads then; colours that arrive in between put other
 * text into what it found.
 */
const changedWords = (page: Page, rows: string) =>
  page.evaluate((all) => [...document.querySelectorAll(`${all} .word-changed`)].map((word) => word.textContent), rows);

describeNeeding(CHROMIUM)("a diff", () => {
  const web = webService();

  test("shows versions side by side or one below the other, the words that differ, and the lines around on demand", async () => {
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await tell(page, await web.service.run("quick"), ["src/pager.ts"]);
    await page.locator(".pair .word-changed").nth(1).waitFor();
    expect(await changedWords(page, ".pair")).toEqual(["floor", "ceil"]);
    await page.getByRole("button", { name: "Show 18 unchanged lines from line 1" }).focus();
    await page.keyboard.press("Enter");
    await page.locator(".pair", { hasText: "line 18" }).waitFor();
    await page.getByRole("button", { name: "Side by side" }).click();
    await page.locator(".line .word-changed").nth(1).waitFor();
    expect(await page.locator(".pair").count()).toBe(0);
    expect(await changedWords(page, ".line")).toEqual(["floor", "ceil"]);
    await page.reload();
    await page.locator(".line .word-changed").first().waitFor();
    expect(complaints).toEqual([]);
  }, 60_000);

  test("leads to a file from its tree, by name and by keyboard, and remembers which were seen", async () => {
    await using reader = await web.visit();
    const { page, complaints } = reader;
    const paths = Array.from({ length: 30 }, (_, index) => `src/part-${index}/file-${index}.ts`);
    await tell(page, await web.service.run("quick"), paths);
    await page.getByRole("searchbox", { name: "Find a file" }).fill("file-27");
    expect(await page.locator(".tree-file").count()).toBe(1);
    await page.locator(".tree-file").focus();
    await page.keyboard.press("Enter");
    const file = page.locator(".file-stop:focus", { hasText: "file-27.ts" });
    await file.waitFor();
    await file.getByLabel("Seen").check();
    await page.getByText("1 of 30 seen").waitFor();
    await page.reload();
    await page.getByText("1 of 30 seen").waitFor();
    expect(await page.locator(".file", { hasText: "file-27.ts" }).getAttribute("open")).toBeNull();
    expect(complaints).toEqual([]);
  }, 60_000);

  test("holds long, hostile and right-to-left names", async () => {
    await using reader = await web.visit();
    const { page, complaints } = reader;
    const strange = [
      "a".repeat(200),
      `deep/${"long-name-".repeat(19)}.ts`,
      `${HEBREW}.ts`,
      "\u202egnp.exe",
      "<b>.html",
    ];
    await tell(page, await web.service.run("quick"), strange);
    expect(await shownText(page.locator(".file-tree"))).toContain("U+202Egnp.exe");
    expect(await inspect(page, "diff-names")).toEqual([]);
    expect(complaints).toEqual([]);
  }, 60_000);

  test("lists a part of very many files, and opens few of them", async () => {
    await using reader = await web.visit();
    const { page } = reader;
    const many = Array.from({ length: 600 }, (_, index) => `many/file-${index}.ts`);
    await tell(page, await web.service.run("quick"), many);
    await page.getByText("540 more; find them by name.").waitFor();
    await page.locator(".file[open]").nth(7).waitFor();
    expect(await page.locator(".file[open]").count()).toBe(8);
    await page.getByRole("searchbox").fill("file-599");
    await page.locator(".tree-file").click();
    await page.locator(".file-stop:focus .file[open]", { hasText: "file-599.ts" }).waitFor();
  }, 60_000);
});
