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

  test("of different scenarios are read side by side, and no judge is offered", async () => {
    const [one, other] = [await web.service.run("quick"), await web.service.run("turned")];
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await page.goto("/sessions");
    await page.locator(".session", { hasText: one.session_id }).getByRole("checkbox", { name: "short" }).check();
    await page.locator(".session", { hasText: other.session_id }).getByRole("checkbox", { name: "turner" }).check();
    await page.getByRole("link", { name: "Compare these two" }).click();
    await page.getByText("These arms did different tasks").waitFor();
    await page.getByText("only B, added").waitFor();
    const shown = await shownText(page.locator("main"));
    for (const part of ["Both arms in numbers", "only A, added", "only B, added", HEBREW])
      expect(shown).toContain(part);
    expect(await page.getByRole("button", { name: "Judge", exact: true }).count()).toBe(0);
    expect(complaints).toEqual([]);
  }, 60_000);

  test("show what only one changed, what both did alike, and what differs in the rest; a switch hides what one need not see", async () => {
    const session = await web.service.run("quick");
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await tell(page, session, [
      [file("both.ts", "one\ntwo\n", "ONE\ntwo\n"), file("mine.ts", null, "mine\n"), file("same.ts", null, "alike\n")],
      [
        file("both.ts", "one\ntwo\n", "one\nTWO\n"),
        file("same.ts", null, "alike\n"),
        file("theirs.ts", null, "theirs\n"),
      ],
    ]);
    await page.goto(compareArms(session));
    await page.locator(".file").first().waitFor();
    expect(await page.locator(".file > summary > .aside").allTextContents()).toEqual([
      "changed differently: A +1 −1, B +1 −1",
      "only A, added",
      "only B, added",
      "the same in both",
    ]);
    const differently = page.locator(".file", { hasText: "both.ts" });
    expect(await differently.locator(".line-text").allTextContents()).toEqual(["ONE", "one", "two", "TWO"]);
    for (const name of ["Only A 1", "Only B 1", "The same in both 1"])
      await page.getByRole("checkbox", { name }).uncheck();
    expect(await page.locator(".file").count()).toBe(1);
    await page.getByText("Each change by itself, against the fixture").click();
    await page.locator(".arm-changes.side-b .file", { hasText: "theirs.ts" }).waitFor();
    expect(await inspect(page, "compare-diffs")).toEqual([]);
    expect(complaints).toEqual([]);
  }, 60_000);

  test("that began with different files are shown apart, and it is said why", async () => {
    const [session, other] = [await web.service.run("quick"), await web.service.run("quick")];
    await using reader = await web.visit();
    const { page, complaints } = reader;
    const fixture = { digest: "f".repeat(64), files: [] };
    const { definition } = other;
    await page.route(`**/api/sessions/${other.session_id}`, (route) =>
      route.fulfill({ json: { ...other, definition: { ...definition, task: { ...definition.task, fixture } } } }),
    );
    await page.goto(`/compare?a=${session.session_id}/short&b=${other.session_id}/long`);
    await page.getByText("They did not begin with the same files").waitFor();
    expect(await page.locator(".arm-changes .line-text").allTextContents()).toEqual(["Hello.", "Good morning."]);
    expect(complaints).toEqual([]);
  }, 60_000);

  test("with 5,000 decisions each, long names and names from the right are drawn as they come into sight", async () => {
    const session = await web.service.run("quick");
    await using reader = await web.visit();
    const { page, complaints } = reader;
    const names = ["a".repeat(200), `deep/${"long-name-".repeat(19)}.ts`, `${HEBREW}.ts`, "\u202egnp.exe", "<b>.html"];
    const files = names.map((name) => file(name, null, "x\n"));
    const first = Object.values(session.decisions)[0]?.[0];
    const log = Array.from({ length: 5_000 }, (_, index) => ({
      ...first,
      seq: index + 1,
      summary: `Step ${index + 1}`,
    }));
    const decisions = Object.fromEntries(session.arms.map(({ arm_id }) => [arm_id, log]));
    await tell(page, { ...session, decisions } as SessionOutcome, [files, files.slice(1)]);
    await page.goto(compareArms(session));
    await page.getByText("10,000 decisions in all").click();
    await page.getByText("Both did the same, 5,000 steps").waitFor();
    expect(await page.evaluate<number>("document.querySelectorAll('*').length")).toBeLessThan(5_000);
    expect(await shownText(page.locator(".file-tree"))).toContain("U+202Egnp.exe");
    expect(await inspect(page, "compare-names")).toEqual([]);
    expect(complaints).toEqual([]);
  }, 60_000);
});

const compareArms = ({ session_id, arms: [a, b] }: SessionOutcome) =>
  `/compare?a=${session_id}/${a.arm_id}&b=${session_id}/${b.arm_id}`;

const file = (path: string, before: string | null, after: string): ChangedFile => ({
  ...{ path, before, after, added: 1, removed: before === null ? 0 : 1, binary: false },
  status: before === null ? "added" : "modified",
});

const patchOf = ({ path, after }: ChangedFile) =>
  `diff --git a/${path} b/${path}\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,1 @@\n+${after?.trim()}\n`;

/** The server has this session, and its arms changed these files. */
async function tell(page: Page, session: SessionOutcome, files: readonly (readonly ChangedFile[])[]): Promise<void> {
  const arms = session.arms.map((arm, index) => {
    const own = files[index] ?? [];
    const patch = own.map(patchOf).join("");
    return { ...arm, changes: { files: own, patch, digest: String(index).repeat(64), truncated: false } };
  });
  await page.route("**/api/sessions/session-*", (route) => route.fulfill({ json: { ...session, arms } }));
}
