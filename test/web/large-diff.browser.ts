import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { PATCH_BYTES } from "../../src/domain/defaults.ts";
import type { SessionOutcome } from "../../src/domain/session.ts";
import { CHROMIUM, SANDBOX } from "../machine.ts";
import { describeNeeding } from "../needs.ts";
import { webService } from "./web-service.ts";

/** Arms that leave much; \`%\` stands for the arm. */
const leaving = (name: string, command: string) => {
  const arm = (id: string) =>
    `  - {id: ${id}, model: scripted/${id}, script: [{calls: [{run_command: {command: ${JSON.stringify(command.replaceAll("%", id))}}}]}, {say: Done.}]}`;
  return `
name: ${name}
title: Much
task: {prompt: Leave much., fixture: {files: {base.txt: "one\\n"}}}
arms:
${arm("left")}
${arm("right")}
rubric:
  criteria: [{id: turns, measure: turns}]
  judge: {model: builtin/evidence}
`;
};

/** More files than are listed, more lines than a browser holds, lines that no browser lays out. */
const SCENARIOS = {
  files: leaving(
    "files",
    "mkdir d; i=0; while [ $i -lt 5200 ]; do echo % $i > d/file-$i.ts; i=$((i+1)); done; for i in 1 2 3; do echo same > d/file-$i.ts; done",
  ),
  lines: leaving("lines", "yes % | head -n 280000 > many.txt"),
  line: leaving(
    "line",
    "yes % | tr -d '\\n' | head -c 1900000 > long.txt; yes % | tr -d '\\n' | head -c 20000000 > longer.txt",
  ),
};

const count = (page: Page, what: string) =>
  page.evaluate<number>(`document.querySelectorAll(${JSON.stringify(what)}).length`);

/** Elements that a page may hold, however much there is to show. */
const ELEMENTS = 12_000;

describeNeeding(CHROMIUM, SANDBOX)("a diff as large as a session may hold", () => {
  const web = webService({ scenarios: SCENARIOS });

  test("of 5,000 files draws those in sight on every page, finds the others by name, and says that more were left out", async () => {
    const { session_id } = await web.service.run("files");
    await using reader = await web.visit();
    const { page, complaints } = reader;
    const read: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/api/sessions/")) read.push(request.url());
    });
    await page.goto(`/sessions/${session_id}/diff`);
    await page.getByText("5,000 files").waitFor();
    await page.getByText(/Not shown, too large: "d\/file-.* and 150 more/).waitFor();
    expect(await count(page, "*")).toBeLessThan(ELEMENTS);
    await page.getByRole("searchbox", { name: "Find a file" }).fill("file-4999.ts");
    await page.locator(".tree-file").click();
    await page.locator(".file-stop:focus .file[open]", { hasText: "file-4999.ts" }).getByText("left 4999").waitFor();
    expect(read).toHaveLength(1);
    for (const address of [`/sessions/${session_id}`, `/compare?a=${session_id}/left&b=${session_id}/right`]) {
      await page.goto(address);
      await page.locator(".file").first().waitFor();
      await page.keyboard.press("End");
      expect(await count(page, "*")).toBeLessThan(ELEMENTS);
    }
    await page.getByRole("checkbox", { name: "Changed differently 4,997" }).uncheck();
    await page.getByRole("checkbox", { name: "The same in both 3" }).waitFor();
    expect(await count(page, ".file-list .file")).toBe(3);
    expect(complaints).toEqual([]);
  }, 60_000);

  test("of one file with 280,000 lines lays out a part, says how many are not shown, and holds those in sight", async () => {
    const { session_id, arms } = await web.service.run("lines");
    expect(arms[0].changes?.patch.length).toBeGreaterThan(PATCH_BYTES / 2);
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await page.goto(`/sessions/${session_id}/diff`);
    await page.locator(".file", { hasText: "many.txt" }).locator("summary").click();
    await page.getByText("260,001 more lines are not shown.").waitFor();
    expect(await count(page, ".line-text")).toBeLessThan(500);
    await page.getByRole("button", { name: "Show the next 20,000" }).click();
    await page.getByText("240,001 more lines are not shown.").waitFor();
    // Through 40,000 lines, screen by screen far apart: what was drawn far above goes.
    for (let top = 0; top < 800_000; top += 20_000) {
      await page.evaluate(`scrollTo(0, ${top})`);
      await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    }
    await page.locator(".line-text").last().waitFor();
    expect(await count(page, ".line-text")).toBeLessThan(6_000);
    expect(complaints).toEqual([]);
  }, 60_000);

  test("shows the beginning of a line of megabytes, how much is left, and more of it when asked", async () => {
    const { session_id } = await web.service.run("line");
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await page.goto(`/sessions/${session_id}/diff`);
    const length = () => page.evaluate<number>("document.querySelector('main').textContent.length");
    const more = page.getByRole("button", { name: "more characters of this line" });
    await more.getByText("show 20,000 of 1,898,000").waitFor();
    const before = await length();
    expect(before).toBeLessThan(10_000);
    await more.click();
    await more.getByText("show 20,000 of 1,878,000").waitFor();
    expect(await length()).toBe(before + 20_000);
    await page.getByText("Too large to be kept; only its counts are known.").waitFor();
    await page.goto(`/sessions/${session_id}/diff?view=a-b`);
    await page.getByText("show 20,000 of 1,898,000").first().waitFor();
    expect(await length()).toBeLessThan(20_000);
    expect(complaints).toEqual([]);
  }, 60_000);

  test("of 40 MB that another server tells is read file by file", async () => {
    const session = await web.service.run("quick");
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await tellMuch(page, session);
    await page.goto(`/sessions/${session.session_id}/diff`);
    await page.getByText("300 files").waitFor();
    expect(await count(page, "*")).toBeLessThan(ELEMENTS);
    await page.getByRole("searchbox", { name: "Find a file" }).fill("file-299.ts");
    await page.locator(".tree-file").click();
    await page
      .locator(".file-stop:focus .file[open]")
      .getByText("const some = line(of, code); // 0", { exact: true })
      .waitFor();
    expect(await count(page, ".line-text")).toBeLessThan(1_000);
    expect(complaints).toEqual([]);
  }, 60_000);
});

const LINES = 4_000;

/** A patch of 40 MB, as no session of this version holds. */
async function tellMuch(page: Page, session: SessionOutcome): Promise<void> {
  const lines = Array.from({ length: LINES }, (_, index) => `+const some = line(of, code); // ${index}\n`).join("");
  const paths = Array.from({ length: 300 }, (_, index) => `much/file-${index}.ts`);
  const patch = paths
    .map((path) => `diff --git a/${path} b/${path}\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,${LINES} @@\n${lines}`)
    .join("");
  const files = paths.map((path) => ({
    path,
    status: "added",
    added: LINES,
    removed: 0,
    binary: false,
    before: null,
    after: null,
  }));
  const changes = { files, patch, digest: "0".repeat(64), truncated: false };
  const [first, second] = session.arms;
  const json = JSON.stringify({ ...session, arms: [{ ...first, changes }, second] });
  await page.route("**/api/sessions/session-*", (route) =>
    route.fulfill({ body: json, contentType: "application/json" }),
  );
}
