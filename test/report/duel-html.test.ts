import { expect, test } from "bun:test";
import type { Decision } from "../../src/domain/decision.ts";
import type { SessionOutcome } from "../../src/domain/session.ts";
import { EXAMPLES } from "../../src/doors/endpoint/examples.ts";
import { duelHtml } from "../../src/doors/report/duel-html.ts";
import { reportedSession } from "../../src/doors/report/reported.ts";

const AT = Date.parse("2026-01-01T00:00:00.000Z");

const step = (seq: number, summary: string, seconds?: number): Decision => ({
  ...{ seq, kind: "model_turn", summary, tokens_in: 0, tokens_out: 0, latency_ms: 0 },
  ...(seconds !== undefined && { at: new Date(AT + 1_000 * seconds).toISOString() }),
});

function duelOf(a: readonly Decision[], b: readonly Decision[], changed: Partial<SessionOutcome> = {}): string {
  const [first, second] = EXAMPLES.session.arms;
  return duelHtml(
    reportedSession({
      ...EXAMPLES.session,
      decisions: { [first.arm_id]: [...a], [second.arm_id]: [...b] },
      ...changed,
    }),
  );
}

const momentsIn = (page: string) =>
  [...page.matchAll(/<li style="animation-delay:(\d+)ms">/g)].map(([, ms]) => Number(ms));

test("both play on one clock, from where they part", () => {
  const page = duelOf(
    [step(1, "same", 1), step(2, "left", 11), step(3, "left again", 31)],
    [step(1, "same", 1), step(2, "right", 21)],
  );
  expect(page).toContain("Same start in both: 1 step");
  expect(page).toContain("20.0 s of the run play in 20.0 s");
  expect(momentsIn(page)).toEqual([0, 20_000, 10_000]);
  expect(page).toContain('<div class="end" style="animation-delay:20000ms">');
});

test("an hour plays in less than a minute, and a moment in some seconds", () => {
  expect(momentsIn(duelOf([step(1, "left", 0)], [step(1, "right", 3_600)]))).toEqual([0, 45_000]);
  expect(momentsIn(duelOf([step(1, "left", 0)], [step(1, "right", 0.1)]))).toEqual([0, 6_000]);
  const short = duelOf([step(1, "left", 0)], [step(1, "right", 0.1)]);
  expect(short).toContain("100 ms of the run play in 6.0 s");
  expect(short).not.toContain("0.0 s");
});

test("steps without times play in their order, and arms that did the same have nothing to play", () => {
  const untimed = duelOf([step(1, "left"), step(2, "left again")], [step(1, "right")]);
  expect(untimed).toContain("The recorded times do not tell these steps apart");
  expect(momentsIn(untimed)).toEqual([3_000, 6_000, 3_000]);
  expect(duelOf([step(1, "left", 5)], [step(1, "right", 5)])).toContain(
    "The recorded times do not tell these steps apart",
  );
  expect(untimed).not.toContain('<span class="soft">');
  expect(duelOf([step(1, "left", 0)], [step(1, "right", 2)])).toContain('<span class="soft">2.0 s</span>');
  const same = duelOf([step(1, "same", 1)], [step(1, "same", 2)]);
  expect(same).toContain("Both did the same.");
  expect(momentsIn(same)).toEqual([]);
});

test("it ends with the checks that tell the arms apart, required ones first", () => {
  const [first, second] = EXAMPLES.session.arms;
  const check = (id: string, status: "pass" | "fail", required = false) => ({
    ...{ id, status, required, weight: 1, before: null, exit_code: 0, duration_ms: 1, output: "", reason: null },
  });
  const probe = (...checks: ReturnType<typeof check>[]) => ({
    ...{ checks, score: 0, passed: 0, total: checks.length, exit_code: 0, duration_ms: 1, output: "", restored: [] },
  });
  const arms: SessionOutcome["arms"] = [
    { ...first, probe: probe(check("alike", "pass"), check("extra", "pass"), check("needed", "fail", true)) },
    { ...second, probe: probe(check("alike", "pass"), check("extra", "fail"), check("needed", "pass", true)) },
  ];
  const end = duelOf([step(1, "left", 0)], [step(1, "right", 1)], { arms }).split('class="end"')[1] ?? "";
  expect(end).not.toContain("alike");
  expect(end.indexOf("needed")).toBeLessThan(end.indexOf("extra"));
  expect(end).toContain(EXAMPLES.session.verdict?.statement ?? "");
});

test("an arm of very many steps has its first and its last", () => {
  const long = Array.from({ length: 100_000 }, (_, index) => step(index + 1, "x".repeat(1_000), index));
  const page = duelOf(long, [step(1, "right", 0)]);
  expect(page).toContain("99,700 steps left out");
  expect(page.length).toBeLessThan(300_000);
});
