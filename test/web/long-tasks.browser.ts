import { expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import type { Decision } from "../../src/domain/decision.ts";
import type { SessionOutcome } from "../../src/domain/session.ts";
import { CHROMIUM } from "../machine.ts";
import { describeNeeding } from "../needs.ts";
import { SERIES_ID } from "../statistics/series.ts";
import { longTable, serveTable } from "./long-table.ts";
import { manySessions } from "./many-sessions.ts";
import { webService } from "./web-service.ts";

/** Milliseconds for which a page may answer nobody. */
const LONGEST_MS = 100;

/** Memory that others use at the same time makes a task longer, and never shorter. */
const VISITS = 8;

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds of processor time, which a machine that is busy with something else does not change. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string; readonly beginData?: { readonly url?: string } };
}

/** The longest task of the page's own thread in a trace, milliseconds. Chromium's own pages have threads of that name, too. */
function longestTask(trace: Buffer): number {
  const { traceEvents } = JSON.parse(trace.toString()) as { readonly traceEvents: readonly TraceEvent[] }; // as Chromium writes it
  const mains = new Set(
    traceEvents
      .filter(({ name, args }) => name === "ParseHTML" && args?.beginData?.url?.startsWith("http:"))
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = traceEvents.filter(({ name, pid, tid }) => name.endsWith("RunTask") && mains.has(`${pid} ${tid}`));
  return Math.max(0, ...tasks.map(({ tdur = 0 }) => tdur)) / 1_000;
}

const settled = (page: Page) =>
  page.evaluate(
    "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 100))))",
  );

interface Large {
  readonly name: string;
  readonly prepare: (page: Page, session: SessionOutcome) => Promise<unknown>;
  readonly path: (session: SessionOutcome) => string;
  readonly ready: string;
  /** What a reader does then. */
  readonly act?: (page: Page) => Promise<unknown>;
}

const LARGE: readonly Large[] = [
  {
    name: "a list of 10,000 sessions",
    prepare: (page) => manySessions(page, 10_000),
    path: () => "/sessions",
    ready: "10,000 sessions",
  },
  {
    name: "a timeline of 5,000 steps",
    prepare: (page, session) => tell(page, { ...session, decisions: stepsOf(session, 5_000) }),
    path: ({ session_id }) => `/live/${session_id}?stay`,
    ready: "Back to the session",
  },
  {
    name: "a diff of 500 files",
    prepare: (page, session) => tell(page, withFiles(session, 500)),
    path: ({ session_id }) => `/sessions/${session_id}/diff`,
    ready: "500 files",
  },
  {
    name: "a changed file of 10,000 lines",
    prepare: (page, session) => tell(page, withLongFile(session, 10_000)),
    path: ({ session_id }) => `/sessions/${session_id}/diff`,
    ready: "long.ts",
    act: async (page) => {
      await page.locator(".file", { hasText: "long.ts" }).locator("summary").click();
      await page.locator(".line-text .hljs-keyword").first().waitFor();
      await page.locator(".line-text .word-changed").first().waitFor();
    },
  },
  {
    name: "a table of 2,000 rows",
    prepare: async (page) => serveTable(page, await longTable(2_000)),
    path: () => `/series/${SERIES_ID}`,
    ready: "Of 2,000 rows",
  },
];

describeNeeding(CHROMIUM)("a page that shows much", () => {
  const web = webService();

  test.each(LARGE)(
    "$name never keeps a reader waiting for a tenth of a second",
    async ({ prepare, path, ready, act }) => {
      const session = await web.service.run("quick");
      let longest = Number.POSITIVE_INFINITY;
      for (let visits = 0; visits < VISITS && longest > LONGEST_MS; visits += 1) {
        await using reader = await web.visit();
        const { page, context } = reader;
        await prepare(page, session);
        await using trace = await traceOf(page, context.browser());
        await page.goto(path(session));
        await page.getByText(ready).first().waitFor();
        await act?.(page);
        await settled(page);
        for (const key of ["End", "Home", "j", "j"]) {
          await page.keyboard.press(key);
          await settled(page);
        }
        longest = Math.min(longest, longestTask(await trace.stop()));
      }
      expect(longest).toBeWithin(1, LONGEST_MS);
    },
    150_000,
  );
});

/** A visit that breaks off ends its trace: a browser takes one at a time. */
async function traceOf(page: Page, browser: Browser | null) {
  await browser?.startTracing(page, { categories: ["toplevel", "devtools.timeline", "__metadata"] });
  let stopped: Promise<Buffer> | undefined;
  const stop = () => {
    stopped ??= browser?.stopTracing() ?? Promise.resolve(Buffer.alloc(0));
    return stopped;
  };
  return { stop, [Symbol.asyncDispose]: async () => void (await stop()) };
}

const tell = (page: Page, session: SessionOutcome) =>
  page.route(`**/api/sessions/${session.session_id}`, (route) => route.fulfill({ json: session }));

function stepsOf({ arms, decisions }: SessionOutcome, many: number): SessionOutcome["decisions"] {
  return Object.fromEntries(
    arms.map(({ arm_id }) => {
      const own = decisions[arm_id] ?? [];
      const [first] = own;
      const log = Array.from({ length: many }, (_, seq) => ({ ...(own[seq % own.length] ?? first), seq }) as Decision);
      return [arm_id, log];
    }),
  );
}

function withFiles(session: SessionOutcome, many: number): SessionOutcome {
  const paths = Array.from({ length: many }, (_, n) => `src/part-${n % 20}/file-${n}.ts`);
  const lines = Array.from({ length: 40 }, (_, n) => `+export const value${n} = ${n};\n`).join("");
  const patch = paths
    .map(
      (path) =>
        `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,40 @@\n${lines}`,
    )
    .join("");
  const files = paths.map((path) => ({
    ...{ path, status: "added" as const, added: 40, removed: 0, binary: false, before: null, after: null },
  }));
  const [a, b] = session.arms;
  const changes = a.changes && { ...a.changes, patch, files };
  return { ...session, arms: [{ ...a, changes }, b] };
}

/** Every third line differs in a word. */
function withLongFile(session: SessionOutcome, many: number): SessionOutcome {
  const line = (n: number, word: string) =>
    `export const value${n} = await read("${word}", { at: ${n}, deep: true }); // what it is for`;
  const numbers = Array.from({ length: many }, (_, n) => n);
  const text = (word: string) => numbers.map((n) => `${line(n, n % 3 === 0 ? word : "same")}\n`).join("");
  const lines = numbers.flatMap((n) =>
    n % 3 === 0 ? [`-${line(n, "before")}`, `+${line(n, "after")}`] : [` ${line(n, "same")}`],
  );
  const patch = `diff --git a/long.ts b/long.ts\n--- a/long.ts\n+++ b/long.ts\n@@ -1,${many} +1,${many} @@\n${lines.join("\n")}\n`;
  const changed = Math.ceil(many / 3);
  const file = { path: "long.ts", status: "modified" as const, added: changed, removed: changed, binary: false };
  const [a, b] = session.arms;
  const changes = a.changes && {
    ...{ ...a.changes, patch },
    files: [{ ...file, before: text("before"), after: text("after") }],
  };
  return { ...session, arms: [{ ...a, changes }, b] };
}
