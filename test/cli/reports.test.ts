import { describe, expect, test } from "bun:test";
import type { Arm } from "../../src/domain/arm.ts";
import type { ArmSummary, SessionOutcome } from "../../src/domain/session.ts";
import type { Flag } from "../../src/domain/verdict.ts";
import { junitOf } from "../../src/doors/cli/reports/junit.ts";
import { Painter } from "../../src/doors/cli/terminal/paint.ts";
import { summarise } from "../../src/doors/cli/terminal/summary.ts";
import { summariseSession, summaryText } from "../../src/doors/mcp/view/session-summary.ts";
import { verdictMarkdown } from "../../src/doors/report/markdown.ts";
import { reportedSession } from "../../src/doors/report/reported.ts";
import { bundled, runOnce, testServices } from "../harness.ts";
import { anOutcome } from "../outcomes.ts";

const { outcome } = await runOnce(testServices(), await bundled("pager-last-page"));

const markdownOf = (session: SessionOutcome) => verdictMarkdown(reportedSession(session));

const count = (text: string, piece: string) => text.split(piece).length - 1;

/** A painter for a terminal of so many columns. */
const terminal = (columns: number) => Object.defineProperty(new Painter(false), "columns", { get: () => columns });

test("JUnit XML has a case for the verdict and its gate, and for each arm one for the rules and one for each hidden check", () => {
  const xml = junitOf(outcome);
  expect(count(xml, "<testcase ")).toBe(12);
  expect(xml).toContain('<testsuite name="abeval pager-last-page" tests="12"');
  // What the control fails says nothing against the candidate.
  const [, control = ""] = /classname="pager-last-page.ticket-only" name="export-complete"[^>]*>(.*)/.exec(xml) ?? [];
  expect(control).toStartWith('<properties><property name="failed" value="');
  expect(count(xml, "<failure ")).toBe(count(xml, '<failure type="gate"'));
});

test("in JUnit XML a check that the candidate fails is a failed case", () => {
  const [first, second] = outcome.arms;
  const xml = junitOf({ ...outcome, arms: [second, first] });
  expect(xml).toMatch(/classname="pager-last-page.ticket-only" name="export-complete"[^>]*><failure /);
});

test("in JUnit XML the case gate is red with its reason where the gate does not let the candidate pass", () => {
  const { verdict } = outcome;
  if (verdict === null) throw new Error("there is a verdict");
  const gate = { "ticket-only": null, "root-cause": null };
  const reason = { because: "judge_failed_self_test", needs: null } as const;
  const shut = { ...outcome, verdict: { ...verdict, gate, gate_reasons: { "root-cause": reason } } };
  expect(junitOf(shut)).toContain(
    '<failure type="gate" message="The gate stays shut, because the judge failed its self-test."/>',
  );
  const open = { ...outcome, verdict: { ...verdict, gate: { ...gate, "root-cause": "better" as const } } };
  expect(junitOf(open)).not.toContain("<failure ");
});

test("JUnit XML stays well formed whatever a check printed", () => {
  const [first, second] = outcome.arms;
  const hostile = ']]></failure><injected>&"\u0000\u001b[31m\ud800';
  const checks = (first.probe?.checks ?? []).map((check) => ({ ...check, status: "fail" as const, output: hostile }));
  const xml = junitOf({ ...outcome, arms: [{ ...first, probe: first.probe && { ...first.probe, checks } }, second] });
  expect(xml).not.toContain("<injected>");
  expect(xml.isWellFormed()).toBe(true);
  for (const character of ["\u0000", "\u001b"]) expect(xml).not.toContain(character);
});

test("a session without a verdict is an error, with its message", () => {
  const failed = anOutcome("session-sample-20260102T030405678Z", {
    state: "failed",
    failure: { stage: "judging", class: "infra", code: "provider_failed", message: "no <answer>", retryable: true },
  });
  expect(junitOf(failed)).toContain('<error type="provider_failed" message="no &#60;answer&#62;"/>');
  const page = markdownOf(failed);
  expect(page).toContain("No verdict: no &#60;answer&#62;");
  expect(page).toContain("The run: failed while judging (provider&#95;failed); the same run may succeed");
  expect(page).toContain(`session \`${failed.session_id}\``);
  expect(page).toContain("\nCost: ");
});

test("checks that never ran are neither passed nor failed", () => {
  const [first, second] = outcome.arms;
  const stopped = { ...first, status: "cancelled" as const, probe: null, changes: null };
  const page = markdownOf({
    ...outcome,
    state: "cancelled",
    verdict: null,
    arms: [stopped, { ...second, probe: null }],
  });
  expect(page).toContain("| hidden checks | not run | none |");
  expect(page).toContain("| failed checks | unknown | none |");
});

test("the summary says who won, why, and shows both arms and each criterion", () => {
  const page = markdownOf(outcome);
  expect(page).toContain("**root-cause won** (decided by hidden checks, clear in this run)");
  expect(page).toContain("| hidden checks | 3 of 4 | 4 of 4 |");
  expect(page).toContain("| hidden-tests | 2 | 0.60 | 1.00 |");
  expect(page).toContain("| cost | $0 | $0 |");
});

describe("money in reports", async () => {
  const [first, second] = outcome.arms;
  const ended = { status: "limit_reached", stop_reason: "budget:cost_usd", cost_usd: 0.0041 } as const;
  const budget = [{ budget: "cost_usd" as const, used: 0.0041, limit: 0.004826 }];
  const costly = {
    ...outcome,
    arms: [
      { ...first, ...ended, budget },
      { ...second, cost_usd: 0.00002 },
    ] satisfies [ArmSummary, ArmSummary],
    verdict: outcome.verdict && { ...outcome.verdict, usage: { ...outcome.verdict.usage, cost_usd: 0.0085 } },
    totals: { ...outcome.totals, cost_usd: 0.01262 },
  };

  test("say which limit ended an arm, and the cost of arms, judge and both", () => {
    const [text, page] = [summarise(costly, terminal(120)), markdownOf(costly)];
    expect(text).toContain("limit reached (cost, $0.0048), 3/4 checks");
    expect(text).toContain("  cost: arms $0.0041, judge $0.0085, total $0.0126\n");
    expect(page).toContain("| ended | limit reached (cost, $0.0048) | finished |");
    expect(page).toContain("| cost | $0.0041 | &#60;$0.0001 |");
    expect(page).toContain("\nCost: arms $0.0041, judge $0.0085, total $0.0126\n");
  });

  test("show an unknown cost as a dash", () => {
    const { verdict, totals } = costly;
    const unknown = {
      ...costly,
      verdict: verdict && { ...verdict, usage: { ...verdict.usage, cost_usd: null } },
      totals: { ...totals, cost_usd: null },
    };
    expect(summarise(unknown, terminal(120))).toContain("  cost: arms $0.0041, judge –, total –\n");
    expect(markdownOf(unknown)).toContain("Cost: arms $0.0041, judge –, total –\n");
  });
});

test("a name with markup in it stays text in the summary", () => {
  expect(markdownOf({ ...outcome, scenario: "<img src=x>|*a*" })).toContain("&#60;img src=x&#62;&#124;&#42;a&#42;");
});

test("an address is no link in the summary, and nobody is told that they are named", () => {
  const statement = "See https://evil.example/x, WWW.evil.example and @team/all, not team@evil.example.";
  const page = markdownOf({ ...outcome, verdict: outcome.verdict && { ...outcome.verdict, statement } });
  const told = "See https&#58;//evil.example/x, WWW&#46;evil.example and @&#8203;team/all, not team@evil.example.";
  expect(page).toContain(`\n${told}\n`);
});

test("a verdict that nothing decided is shown without decider and confidence", () => {
  const verdict = outcome.verdict && {
    ...outcome.verdict,
    ...({ outcome: "inconsistent", winner: null, decided_by: "none", confidence: "none" } as const),
  };
  const none = { ...outcome, verdict };
  expect(markdownOf(none)).toContain("\n**No winner: the orders disagree**\n");
  expect(summarise(none, terminal(80)).split("\n")[1]).toBe("No winner: the orders disagree");
  expect(summaryText(summariseSession(none), none)).toContain("Verdict: No winner: the orders disagree. In this");
});

describe("why an arm was disqualified, rule and path, stands in", async () => {
  const loaded = await bundled("pager-last-page");
  const [first, second] = loaded.definition.arms;
  const run_command = { command: "for n in 1 2 3 4 5; do echo x > src/guarded-$n.ts; done" };
  const { paths } = loaded.definition.policies;
  const definition = {
    ...loaded.definition,
    policies: { ...loaded.definition.policies, paths: { ...paths, protected: ["src/guarded-*"] } },
    arms: [{ ...first, script: [{ calls: [{ run_command }] }, { say: "Done." }] }, second] satisfies [Arm, Arm],
  };
  const { outcome: broken } = await runOnce(testServices({}, { sandbox: "none" }), { ...loaded, definition });
  const files = "src/guarded-1.ts, src/guarded-2.ts, src/guarded-3.ts and 2 more";
  const why = `it changed the protected files ${files} (rule src/guarded-*)`;

  test("the statement", () => {
    expect(broken.verdict?.statement).toContain(`${first.id} was disqualified: ${why}; ${second.id} was not`);
  });

  test("the terminal's summary, below the arm", () => {
    const lines = summarise(broken, terminal(200)).split("\n");
    const arm = lines.findIndex((line) => line.startsWith(`  ${first.id}  `));
    expect(lines[arm + 1]).toBe(`    disqualified: ${why}`);
  });

  test("Markdown", () => {
    expect(markdownOf(broken)).toContain(`| disqualified | ${why.replace("*", "&#42;")} | no |`);
    expect(markdownOf(outcome)).not.toContain("disqualified");
  });

  test("JUnit XML, as a failed case of the candidate, and as a property of the control", () => {
    expect(junitOf(broken)).toContain(`<property name="failed" value="${why}"/>`);
    const [own, other] = broken.arms;
    const xml = junitOf({ ...broken, arms: [other, own] });
    const [, failed] = /name="kept to the rules" time="[\d.]+"><failure (.*?)>/.exec(xml) ?? [];
    expect(failed).toBe(`type="disqualified" message="${why}"`);
    expect(count(xml, 'name="kept to the rules"')).toBe(2);
  });

  test("the text that MCP gives a model", () => {
    expect(summaryText(summariseSession(broken), broken)).toContain(`disqualified: ${why}`);
  });
});

describe.each([40, 60, 80, 120, 200])("the terminal's summary at %i columns", (columns) => {
  const [first, second] = outcome.arms;
  const long = "an-arm-whose-name-is-as-long-as-names-may-be-0123456789-01234567";
  const pointer = (arm_id: string) => ({ session_id: outcome.session_id, arm_id });
  const verdict = outcome.verdict && {
    ...outcome.verdict,
    ...{ arm_a: pointer(long), winner: long },
    flags: ["truncated", "truncated_core", "injection_suspected", "judge_probe_conflict", "no_contrast"] as Flag[],
  };
  const renamed = {
    ...outcome,
    arms: [{ ...first, arm_id: long }, second] satisfies [ArmSummary, ArmSummary],
    verdict,
  };

  test.each([
    ["short names", outcome],
    ["a long name", renamed],
  ])("breaks no figure and no word, and has each: %s", (_, shown) => {
    const text = summarise(shown, terminal(columns));
    // A line holds at least an id and one word.
    const ids = [shown.session_id, ...shown.arms.map(({ arm_id }) => arm_id)];
    const least = Math.max(...ids.map((id) => id.length)) + " won".length;
    const wide = text.split("\n").filter((line) => line.length > Math.max(columns - 1, least));
    expect(wide).toEqual([]);
    for (const figure of ["3/4 checks", "1 file +2 -2", "5 turns", "6 calls", "10 calls"])
      expect(text).toContain(figure);
    for (const flag of shown.verdict?.flags ?? []) expect(text).toContain(flag);
  });
});

test("figures stand beside the name where there is room, and below it where there is none", () => {
  const lines = (columns: number) => {
    const all = summarise(outcome, terminal(columns)).split("\n");
    const start = all.findIndex((line) => /^ {2}root-cause(?: {2}|$)/.test(line));
    return all.slice(start, all.indexOf("", start)).map((line) => line.replace(/\d+\.\d s|\d+ ms/, "4.1 s"));
  };
  expect(lines(80)).toEqual(["  root-cause   finished, 4/4 checks, 1 file +1 -1, 7 turns, 10 calls, 4.1 s"]);
  expect(lines(60)).toEqual([
    "  root-cause   finished, 4/4 checks, 1 file +1 -1, 7 turns,",
    "               10 calls, 4.1 s",
  ]);
  expect(lines(44)).toEqual([
    "  root-cause",
    "    finished, 4/4 checks, 1 file +1 -1,",
    "    7 turns, 10 calls, 4.1 s",
  ]);
});
