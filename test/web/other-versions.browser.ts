import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import type { Page } from "playwright-core";
import type { SessionOutcome } from "../../src/domain/session.ts";
import type { SessionListing } from "../../src/domain/session-list.ts";
import { CHROMIUM } from "../machine.ts";
import { describeNeeding } from "../needs.ts";
import { unpackState } from "../store/state-archive.ts";
import { webService } from "./web-service.ts";

/** Every page of a session, and words that stand there when it was read. */
const pagesOf = ({ session_id, arms }: Pick<SessionListing, "session_id" | "arms">) => [
  { path: `/sessions/${session_id}`, ready: page("h1") },
  { path: `/live/${session_id}?stay`, ready: page(".stages") },
  { path: `/sessions/${session_id}/diff`, ready: page(".tabs") },
  { path: `/sessions/${session_id}/diff?view=a-b`, ready: page(".tabs") },
  { path: `/compare?a=${session_id}/${arms[0]?.arm_id}&b=${session_id}/${arms[1]?.arm_id}`, ready: page(".corner") },
];
const page = (selector: string) => `main ${selector}`;

/** What a page says where it expected something that is not there. */
const MADE_UP = /undefined|\bNaN\b|\[object|Invalid Date|Could not read/;

/** Looked for beside what the arms wrote. */
async function madeUpOn(page: Page): Promise<string | undefined> {
  const told = `(() => { const main = document.querySelector("main").cloneNode(true);
    for (const part of main.querySelectorAll(".lines, pre")) part.remove();
    return main.textContent; })()`;
  return MADE_UP.exec(await page.evaluate<string>(told))?.[0];
}

/** Goes there as a link does, and waits until all is read. */
async function open(page: Page, path: string, ready: string): Promise<void> {
  await page.evaluate(`history.pushState(null, "", "${path}"); dispatchEvent(new PopStateEvent("popstate"))`);
  await page.locator(ready).first().waitFor();
  await page.waitForFunction(() => document.querySelector("main .loading") === null);
}

describeNeeding(CHROMIUM)("what version 0.1.6 stored", () => {
  const web = webService({
    state: (directory) => {
      mkdirSync(directory);
      unpackState("state-0.1.6.tar.gz", directory);
    },
  });

  test("is read on every page: verdicts, failures, interruptions, diffs, timelines, comparisons", async () => {
    const listed = (await (await fetch(`${web.service.url}/api/sessions`)).json()) as readonly SessionListing[]; // the server's own answer
    expect(listed.length).toBeGreaterThanOrEqual(5);
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await page.goto("/sessions");
    for (const { session_id } of listed) await page.getByText(session_id).waitFor();
    for (const { path, ready } of listed.flatMap(pagesOf)) {
      await open(page, path, ready);
      expect([path, await madeUpOn(page)]).toEqual([path, undefined]);
    }
    expect(complaints).toEqual([]);
  }, 60_000);
});

describeNeeding(CHROMIUM)("what a newer version tells", () => {
  const web = webService();

  test("is shown by its own words, and breaks no page", async () => {
    const session = await web.service.run("quick");
    await using reader = await web.visit();
    const { page, complaints } = reader;
    await tell(page, newer(session));
    await page.goto("/sessions");
    for (const { path, ready } of pagesOf(session)) {
      await open(page, path, ready);
      expect([path, await madeUpOn(page)]).toEqual([path, undefined]);
    }
    await page.goto(`/sessions/${session.session_id}`);
    for (const word of ["moon phase", "half done"]) await page.getByText(word).first().waitFor();
    await page.goto(`/live/${session.session_id}?stay`);
    await page.getByText("mind read").first().waitFor();
    expect(complaints).toEqual([]);
  }, 60_000);
});

const tell = (page: Page, session: unknown) =>
  page.route("**/api/sessions/session-*", (route) => route.fulfill({ json: session }));

/** With words, fields and kinds that this version does not know. */
function newer(session: SessionOutcome): unknown {
  const { verdict, arms, decisions } = session;
  const unknown = { kind: "mind_read", summary: "It knew.", detail: { depth: { of: ["thought"] } } };
  const log = Object.values(decisions)[0] ?? [];
  const read = { ...log[0], ...unknown, seq: log.length + 1 };
  return {
    ...session,
    weather: { sky: "clear" },
    verdict: verdict && { ...verdict, flags: [...verdict.flags, "moon_phase"], decided_by: "the_stars", mood: 3 },
    arms: [{ ...arms[0], status: "half_done", aura: "green" }, arms[1]],
    decisions: { ...decisions, [arms[0].arm_id]: [...log, read] },
  };
}
