import { expect, test } from "bun:test";
import type { SessionOutcome } from "../../src/domain/session.ts";
import { EXAMPLE_SERIES } from "../../src/http/examples/series.ts";
import { EXAMPLE_SESSION } from "../../src/http/examples/session.ts";
import { html } from "../../src/report/html.ts";
import { seriesHtml } from "../../src/report/series-html.ts";
import { sessionHtml } from "../../src/report/session-html.ts";

const EVIL = `</pre></style><script>alert(1)</script><img src=x onerror="a">'&\u202e\u0000\u001b[2J`;

/** Prose and sentences of the value, with something hostile after them. */
function poisoned<T>(value: T): T {
  if (typeof value === "string") return (/^[A-Z]|\s/.test(value) ? value + EVIL : value) as T;
  if (Array.isArray(value)) return value.map(poisoned) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, poisoned(item)])) as T;
}

const tagsOf = (page: string) => new Set([...page.matchAll(/<\/?([a-z][a-z0-9]*)/gi)].map(([, tag]) => tag));

test.each(["all", "blind", "redacted"] as const)(
  "what arms, judge and task say is text in a page that shows %s",
  (showing) => {
    const hostile = poisoned(EXAMPLE_SESSION);
    const [first, second] = hostile.arms;
    const session: SessionOutcome = { ...hostile, arms: [{ ...first, arm_id: EVIL, model: EVIL }, second] };
    const page = sessionHtml(session, showing);
    expect(tagsOf(page)).toEqual(tagsOf(sessionHtml(EXAMPLE_SESSION, showing)));
    for (const unseen of ["\u202e", "\u0000", "\u001b"]) expect(page).not.toContain(unseen);
    expect(page).not.toMatch(/\bon[a-z]+="/);
  },
);

test("a series as a page holds names as text", () => {
  const page = seriesHtml(poisoned(EXAMPLE_SERIES));
  expect(tagsOf(page)).toEqual(tagsOf(seriesHtml(EXAMPLE_SERIES)));
});

test("a page stays small whatever an arm wrote", () => {
  const [first, second] = EXAMPLE_SESSION.arms;
  const patch = "+x\n".repeat(1_000_000);
  const changes = first.changes && { ...first.changes, patch };
  const arms: SessionOutcome["arms"] = [{ ...first, final_answer: "y".repeat(5_000_000), changes }, second];
  expect(sessionHtml({ ...EXAMPLE_SESSION, arms }).length).toBeLessThan(2_000_000);
});

test("a session without a verdict says why", () => {
  const failure = {
    stage: "running",
    class: "infra",
    code: "internal",
    message: "It <broke>.",
    retryable: true,
  } as const;
  const page = sessionHtml({ ...EXAMPLE_SESSION, verdict: null, failure });
  expect(page).toContain("It &#60;broke&#62;.");
});

test("values in a template are text, and templates in it are markup", () => {
  expect(html`<p>${[1, "<", html`<b>${"&"}</b>`, null]}</p>`.text).toBe("<p>1&#60;<b>&#38;</b></p>");
});
