import { wilson } from "../../../domain/binomial.ts";
import type { JudgeProfile } from "../../../domain/judge-profile.ts";
import { memberName } from "../../../domain/member.ts";
import type { SelfTestListing } from "../../../domain/self-test.ts";

/** A judge with everything that it judged: a prompt belongs to one scenario, so the server profiles each apart. */
export interface JudgeGroup {
  readonly model: string;
  readonly protocol: string;
  readonly profiles: readonly JudgeProfile[];
  readonly verdicts: number;
  readonly undecided: number;
  /** Verdicts with usable answers in both orders; only these tell whether the order decided. */
  readonly answered: number;
  /** Verdicts that followed the order of presentation: which arm was named each time. */
  readonly position: { readonly first: number; readonly second: number };
  readonly repeats: { readonly compared: number; readonly changed: number };
  /** With hidden checks that speak clearly. `seen`: those that the judge was shown, so that agreeing is easier. */
  readonly checks: { readonly seen: Agreement; readonly unseen: Agreement };
  readonly people: Agreement;
  /** The latest self-test on each scenario. */
  readonly tests: readonly SelfTestListing[];
}

/** Counts, with a 95% range for the share. */
export interface Agreement {
  readonly agree: number;
  readonly of: number;
  /** Null without a case. */
  readonly rate: number | null;
  readonly low: number;
  readonly high: number;
}

/** The judge of most verdicts first, then those that were only tested. */
export function judgeGroups(
  profiles: readonly JudgeProfile[],
  tests: readonly SelfTestListing[],
): readonly JudgeGroup[] {
  const judged = Map.groupBy(profiles, ({ judge }) => keyOf(judge));
  const tested = Map.groupBy(tests, ({ judge }) => keyOf(judge));
  const groups = [...new Set([...judged.keys(), ...tested.keys()])].map((key) =>
    groupOf(judged.get(key) ?? [], tested.get(key) ?? []),
  );
  return groups.flatMap((group) => group ?? []).toSorted((one, other) => other.verdicts - one.verdicts);
}

const keyOf = ({ model, protocol }: { readonly model: string; readonly protocol: string }) => `${model} ${protocol}`;

function groupOf(profiles: readonly JudgeProfile[], tests: readonly SelfTestListing[]): JudgeGroup | undefined {
  const judge = profiles[0]?.judge ?? tests[0]?.judge;
  if (judge === undefined) return undefined;
  const sum = (of: (profile: JudgeProfile) => number) => profiles.reduce((total, each) => total + of(each), 0);
  const agreement = (agree: number, of: number): Agreement => ({
    ...{ agree, of, rate: of === 0 ? null : agree / of },
    ...wilson(agree, of),
  });
  const checks = (where: "shown" | "hidden") =>
    agreement(
      sum(({ facts }) => facts[where].agree),
      sum(({ facts }) => facts[where].agree + facts[where].disagree),
    );
  return {
    ...{ model: judge.model, protocol: judge.protocol, profiles },
    verdicts: sum(({ verdicts }) => verdicts),
    undecided: sum(({ outcomes, verdicts }) => verdicts - (outcomes["winner"] ?? 0)),
    answered: sum(({ outcomes, verdicts }) => verdicts - (outcomes["invalid"] ?? 0)),
    position: { first: sum(({ position }) => position.first), second: sum(({ position }) => position.second) },
    repeats: { compared: sum(({ repeats }) => repeats.compared), changed: sum(({ repeats }) => repeats.changed) },
    checks: { seen: checks("shown"), unseen: checks("hidden") },
    people: agreement(
      sum(({ people }) => people.agree),
      sum(({ people }) => people.agree + people.opposed + people.one_tie),
    ),
    tests: latestOfEach(tests),
  };
}

/** They are listed newest first. */
const latestOfEach = (tests: readonly SelfTestListing[]): readonly SelfTestListing[] =>
  [...Map.groupBy(tests, memberName).values()].flatMap(([latest]) => latest ?? []);
