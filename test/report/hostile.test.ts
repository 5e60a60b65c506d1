import { expect, test } from "bun:test";
import type { GridRow } from "../../src/domain/cell.ts";
import type { CheckResult } from "../../src/domain/evidence.ts";
import type { SessionOutcome } from "../../src/domain/session.ts";
import { EXAMPLES } from "../../src/doors/endpoint/examples.ts";
import { duelHtml } from "../../src/doors/report/duel-html.ts";
import { html } from "../../src/doors/report/html.ts";
import { seriesMarkdown, verdictMarkdown } from "../../src/doors/report/markdown.ts";
import { reportedSession } from "../../src/doors/report/reported.ts";
import { seriesHtml } from "../../src/doors/report/series-html.ts";
import { type Showing, verdictHtml } from "../../src/doors/report/verdict-html.ts";
import { evidenceCurve } from "../../src/statistics/evidence-curve.ts";

const EVIL = `</pre></style><script>alert(1)</script><img src=x onerror="a">'&\u202e\u0000\u001b[2J`;

/** Prose and sentences of the value, with something hostile after them. */
function poisoned<T>(value: T): T {
  if (typeof value === "string") return (/^[A-Z]|\s/.test(value) ? value + EVIL : value) as T;
  if (Array.isArray(value)) return value.map(poisoned) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, poisoned(item)])) as T;
}

const sessionHtml = (session: SessionOutcome, showing?: Showing) => verdictHtml(reportedSession(session), showing);

const tagsOf = (page: string) => new Set([...page.matchAll(/<\/?([a-z][a-z0-9]*)/gi)].map(([, tag]) => tag));

test.each(["all", "blind", "redacted"] as const)(
  "what arms, judge and task say is text in a page that shows %s",
  (showing) => {
    const hostile = poisoned(EXAMPLES.session);
    const [first, second] = hostile.arms;
    const session: SessionOutcome = { ...hostile, arms: [{ ...first, arm_id: EVIL, model: EVIL }, second] };
    const page = sessionHtml(session, showing);
    expect(tagsOf(page)).toEqual(tagsOf(sessionHtml(EXAMPLES.session, showing)));
    for (const unseen of ["\u202e", "\u0000", "\u001b"]) expect(page).not.toContain(unseen);
    expect(page).not.toMatch(/\bon[a-z]+="/);
  },
);

test("a duel holds names and steps as text, and runs no script", () => {
  const page = duelHtml(reportedSession(poisoned(EXAMPLES.session)));
  expect(tagsOf(page)).toEqual(tagsOf(duelHtml(reportedSession(EXAMPLES.session))));
  expect(page).not.toMatch(/<script|\bon[a-z]+="/);
});

test("a series as a page holds names as text", async () => {
  const page = await seriesHtml(poisoned(EXAMPLES.series));
  expect(tagsOf(page)).toEqual(tagsOf(await seriesHtml(EXAMPLES.series)));
});

/** What tries to leave a fence, a table, a terminal's line or the direction of reading. */
const WILD = `\`\`\`\`\n</code></pre>\n# head\n| a |\n[x](http://evil.example) @team ![i](http://evil.example/p.png)${EVIL}\u2028\u202e`;

const wildRow = (text: string): GridRow => ({
  ...{ scenario: "sample", input: "one", trial: 1, outcome: "winner", winner: EXAMPLES.series.arms.a.arm_id },
  values: { [text.slice(0, 200)]: text },
  cells: (["a", "b"] as const).map((side) => ({
    arm_id: EXAMPLES.series.arms[side].arm_id,
    ...(side === "a" ? { answer: text } : { change: text }),
    ...{ ended: text, failed: [{ check: "rule", why: text }], score: 0.5, cost_usd: null },
  })),
});

test("what arms wrote is quoted in the Markdown of a series, so that nothing in it is markup", () => {
  const before = seriesMarkdown(EXAMPLES.series);
  const page = seriesMarkdown(EXAMPLES.series, undefined, { rows: [wildRow(WILD)], total: 1 });
  for (const unseen of ["\u202e", "\u0000", "\u001b", "\u2028"]) expect(page).not.toContain(unseen);
  const fenced = [...page.matchAll(/^(`{5,})(?:text|diff)\n([\s\S]*?)\n\1$/gm)];
  expect(fenced.map(([, , text]) => text?.includes("# head"))).toEqual([true, true]);
  const outside = fenced.reduce((text, [whole]) => text.replace(whole, ""), page);
  expect(outside).not.toMatch(/^# head|http:\/\/|[^`]@team|<script|<img/m);
  const heads = (text: string) => [...text.matchAll(/^#+ /gm)].map(String).toSorted();
  expect(heads(outside)).toEqual([...heads(before), "### "].toSorted());
  const long = { rows: [1, 2, 3].map(() => wildRow("`<@".repeat(2_000))), total: 3 };
  expect(seriesMarkdown(EXAMPLES.series, undefined, long).length - before.length).toBeLessThan(40_000);
});

test("what arms wrote is text in the page of a series, and takes as much room as its rows", async () => {
  const tame = { rows: [wildRow("tame")], total: 1 };
  const page = await seriesHtml(EXAMPLES.series, undefined, { rows: [wildRow(WILD)], total: 1 });
  expect(tagsOf(page)).toEqual(tagsOf(await seriesHtml(EXAMPLES.series, undefined, tame)));
  for (const unseen of ["\u202e", "\u0000", "\u001b", "\u2028"]) expect(page).not.toContain(unseen);
  expect(page).not.toMatch(/\bon[a-z]+="/);
  expect(page).toContain("What the arms left");
});

test("a series as a page draws the evidence with the line of a claim", async () => {
  const page = await seriesHtml(EXAMPLES.series);
  const [, points = ""] = /<polyline points="([^"]*)"/.exec(page) ?? [];
  expect(points.split(" ")).toHaveLength(evidenceCurve(EXAMPLES.series).length);
  expect(page).toContain("20 needed for a claim");
  const none = { ...EXAMPLES.series, trials: EXAMPLES.series.trials.map((trial) => ({ ...trial, e_after: null })) };
  expect(await seriesHtml(none)).not.toContain("<polyline");
});

test("a page stays small whatever an arm wrote", () => {
  const [first, second] = EXAMPLES.session.arms;
  const patch = "+x\n".repeat(1_000_000);
  const changes = first.changes && { ...first.changes, patch };
  const arms: SessionOutcome["arms"] = [{ ...first, final_answer: "y".repeat(5_000_000), changes }, second];
  expect(sessionHtml({ ...EXAMPLES.session, arms }).length).toBeLessThan(2_000_000);
});

test("a session without a verdict says why", () => {
  const failure = {
    stage: "running",
    class: "infra",
    code: "internal",
    message: "It <broke>.",
    retryable: true,
  } as const;
  const [first, second] = EXAMPLES.session.arms;
  const stopped = { ...first, status: "failed", error: "It <gave> up.", probe: null, changes: null } as const;
  const session = { ...EXAMPLES.session, state: "failed", arms: [stopped, second], verdict: null, failure } as const;
  const page = sessionHtml({ ...session, arms: [stopped, second] });
  for (const said of ["failed while running (internal)", "It &#60;broke&#62;.", "It &#60;gave&#62; up.", "not run"])
    expect(page).toContain(said);
  expect(page).toContain(second.final_answer?.slice(0, 10) ?? "");
  for (const less of ["blind", "redacted"] as const) {
    const shown = sessionHtml({ ...session, arms: [stopped, second] }, less);
    for (const hidden of ["broke", "gave"]) expect(shown).not.toContain(hidden);
  }
});

test("a page says when the arms ran as people write it", () => {
  const page = sessionHtml({ ...EXAMPLES.session, created_at: "2026-11-25T12:41:07.123Z" });
  expect(page).toContain(">2026-11-25 12:41 UTC, judge ");
});

test("values in a template are text, and templates in it are markup", () => {
  expect(html`<p>${[1, "<", html`<b>${"&"}</b>`, null]}</p>`.text).toBe("<p>1&#60;<b>&#38;</b></p>");
});

test("a check whose program is missing could not run, and has not failed", () => {
  const [first, second] = EXAMPLES.session.arms;
  const check = { ...first.probe?.checks[0], status: "fail", reason: "exit code 127, expected 0" } as CheckResult;
  const probeOf = (result: CheckResult) =>
    ({
      ...EXAMPLES.session,
      arms: [{ ...first, probe: { ...first.probe, checks: [result] } }, second],
    }) as SessionOutcome;
  expect(sessionHtml(probeOf(check))).toMatch(/failed<\/span>: exit code 127/);
  const missing = sessionHtml(probeOf({ ...check, could_not_run: "no-such-linter is not found" }));
  expect(missing).toMatch(/could not run<\/span>: no-such-linter is not found/);
  expect(missing).not.toContain("exit code 127");
  const inMarkdown = (result: CheckResult) => verdictMarkdown(reportedSession(probeOf(result)));
  expect(inMarkdown(check)).toContain(`| failed checks | ${check.id} |`);
  const absent = { ...check, could_not_run: "no-such-linter is not found" };
  expect(inMarkdown(absent)).toContain(`| failed checks | ${check.id} (could not run) |`);
  const onNeither = probeOf(absent);
  const both = { ...onNeither, arms: [onNeither.arms[0], { ...second, probe: onNeither.arms[0].probe }] } as const;
  const told = verdictMarkdown(reportedSession({ ...both, arms: [both.arms[0], both.arms[1]] }));
  expect(told).toContain("| failed checks | none | none |");
  expect(told).toContain(`| could not run | ${check.id} | ${check.id} |`);
  expect(sessionHtml(probeOf({ ...check, status: "error" }))).toMatch(/no result<\/span>/);
});

test("a page says what a criterion measures, and repeats it as a reason only beside what a judge says", () => {
  const { verdict } = EXAMPLES.session;
  if (!verdict) throw new Error("the example has no verdict");
  const [criterion] = verdict.criteria;
  const measured = {
    ...criterion,
    supported: true,
    note: "probe_score: 1 against 0.5",
  } as (typeof verdict.criteria)[number];
  const own = { ...verdict, criteria: [measured], rationale: `${measured.note}.` };
  const saying = "the score of the hidden checks: 1 against 0.5";
  const asked = sessionHtml({
    ...EXAMPLES.session,
    verdict: { ...own, calls: [{ ...verdict.calls[0] } as (typeof verdict.calls)[number]] },
  });
  expect(asked.split(saying)).toHaveLength(3);
  expect(sessionHtml({ ...EXAMPLES.session, verdict: { ...own, calls: [] } }).split(saying)).toHaveLength(2);
});
