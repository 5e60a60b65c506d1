import type { Contest, ContestArm, ContestTrial } from "../../domain/contest.ts";
import { type GateOpening, gateOfAll } from "../../domain/pipeline-gate.ts";
import type { Series } from "../../domain/series.ts";
import { SERIES_FLAGS, type SeriesFlag } from "../../domain/series-summary.ts";
import type { Side } from "../../domain/verdict.ts";
import { breathe, steadily } from "../../runtime/pace.ts";
import { headlineOf, missingForClaim } from "../claim/findings.ts";
import type { SidedEvidence } from "../claim/sequential-test.ts";
import { contestStatement } from "../contest-words.ts";
import { raisedByTrials } from "../standing.ts";
import { seriesResultOf } from "../summary/result.ts";
import { runsOf } from "./arms.ts";
import { rejectedByRate, rejectedTogether } from "./holm.ts";
import type { PlayedPair } from "./played.ts";
import { type Beats, cyclesIn, ranksOf, throughControl } from "./ranks.ts";
import { type ContestRules, replaying, shownAgainst } from "./replay.ts";
import { standingIn } from "./standing.ts";

/** Everything that a contest is made of, wherever its arms ran. */
export interface ContestInput {
  readonly rules: ContestRules;
  readonly played: readonly PlayedPair[];
  /** The report of two arms, as if there were no others. */
  readonly pairReport: (pair: number) => Promise<Series>;
  readonly told: Omit<
    Contest,
    "contest" | "gate" | "gate_reasons" | "rounds" | "flags" | "statement" | "trials" | "measure"
  >;
  readonly trials: readonly ContestTrial[];
  /** The costs of its runs are all that was spent on them. */
  readonly tells_totals: boolean;
}

/** The document of a contest. Each pair takes its time; others have their turn between them. */
export async function contestOfPairs({ rules, played, told, trials, ...input }: ContestInput): Promise<Contest> {
  const { plan } = rules;
  const replayed = await steadily(replaying(rules, played));
  const { arms: standing, rounds } = standingIn(rules, replayed);
  const now = played.map(({ sided }, place) => {
    const isFrozen = plan.mode === "against" && plan.pairs[place]?.arms.some((arm) => replayed.out_at.has(arm));
    return isFrozen ? replayed.last[place] : sided.at(-1);
  });
  const found: Series["result"][] = [];
  for (const pair of played) {
    found.push(resultOf(pair));
    await breathe();
  }
  const reports = new Map<number, Series>();
  for (const place of reportedPairs(rules, found)) reports.set(place, await input.pairReport(place));
  const results = found.map((result, place) => reports.get(place)?.result ?? result);
  const placeOf = (arm: string) => plan.pairs.findIndex(({ arms: pair }) => isAgainst(pair, plan.control, arm));
  const reportOf = (arm: string) => reports.get(placeOf(arm));
  const shown = shownAgainst(rules, now);
  const beats = beatsIn(rules, played, now);
  const against = claimsAgainst(rules, played, shown);
  const claims = plan.mode === "best" ? beats.all : against;
  const ranks = ranksOf(plan.arms, plan.control === null ? claims : throughControl(claims, plan.control));
  const leads = leadsOf(rules, results);
  const openings = openingsOf({ rules, played, reports, shown, standing });
  const needsOf = (arm: string) => reportOf(arm)?.gate_reasons?.[arm]?.needs ?? null;
  const gated = gateOfAll([...openings], needsOf);
  const arms = standing.map((one): ContestArm => {
    const { arm_id } = one;
    const report = reportOf(arm_id);
    return {
      ...one,
      ...runsOf(arm_id, plan, played, input.tells_totals),
      result: results[placeOf(arm_id)] ?? null,
      lead: leads.get(arm_id) ?? null,
      claim: arm_id === plan.control ? null : claimOf(arm_id, against, openings.get(arm_id)),
      gate: gated.gate[arm_id] ?? null,
      rank: rankIn(standing, one, ranks.get(arm_id) ?? [1, plan.arms.length]),
      ...(plan.fdr && { fdr: beats.byRate(arm_id) }),
      ...(report && { like_these: report.like_these, efficiency: report.efficiency }),
    };
  });
  const cycles = cyclesIn(plan.arms, claims);
  const contest: Omit<Contest, "statement"> = {
    ...told,
    measure: played[0]?.findings.subject.measure ?? "preferred",
    contest: {
      ...{ mode: plan.mode, control: plan.control, ...(plan.keep_running && { keep_running: true as const }) },
      arms: arms.toSorted(byLead),
      pairs: plan.pairs.map(({ arms: pair }, place) => ({
        arms: [...pair],
        result: results[place] ?? null,
        claim: claims.find((claim) => claim.every((arm) => pair.includes(arm)))?.[0] ?? null,
        rounds: played[place]?.sided.length ?? 0,
      })),
      ...(cycles.length > 0 && { cycles: cycles.map((cycle) => [...cycle]) }),
    },
    ...gated,
    rounds,
    flags: flagsOf(played, reports),
    trials: [...trials],
  };
  return { ...contest, statement: contestStatement(contest) };
}

const isAgainst = (pair: readonly string[], control: string | null, arm: string) =>
  control !== null && arm !== control && pair.includes(control) && pair.includes(arm);

/** Pairs that are reported whole: those with the control, else those of the arm that seems best. */
function reportedPairs({ plan }: ContestRules, results: readonly Series["result"][]): readonly number[] {
  const leads = plan.control === null ? [...leadsOf({ plan }, results)] : [];
  const [leader] = leads.toSorted(([, one], [, other]) => (other ?? -1) - (one ?? -1))[0] ?? [plan.arms[0] ?? ""];
  const named = plan.control ?? leader;
  return [...plan.pairs.entries()].flatMap(([place, { arms }]) => (arms.includes(named) ? place : []));
}

const resultOf = ({ findings }: PlayedPair): Series["result"] =>
  seriesResultOf(findings, headlineOf(findings.sequential, findings.subject.levels, missingForClaim(findings)));

const SIDES = ["a", "b"] as const;

/** What is shown of two arms: all such claims together are false in at most `alpha` of all contests. */
function beatsIn(
  { plan, alpha }: ContestRules,
  played: readonly PlayedPair[],
  now: readonly (SidedEvidence | undefined)[],
) {
  const directed = plan.pairs.flatMap(({ arms: [a = "", b = ""] }, place) =>
    SIDES.map((side) => ({
      ...{ place, side, evidence: now[place]?.better[side] ?? 0 },
      beats: side === "a" ? ([a, b] as const) : ([b, a] as const),
    })),
  );
  const logs = directed.map(({ evidence }) => evidence);
  const together = rejectedTogether(logs, alpha);
  const rates = rejectedByRate(logs, alpha);
  const borne = (_: unknown, index: number) => {
    const { place = 0, side = "a" } = directed[index] ?? {};
    return now[place]?.claimed === side && isBorneOut(played[place], side);
  };
  const taken = (chosen: readonly boolean[]): readonly Beats[] =>
    directed.filter((one, index) => chosen[index] && borne(one, index)).map(({ beats }) => beats);
  const byRate = taken(rates);
  return {
    all: taken(together),
    byRate: (arm: string) => {
      const { control } = plan;
      if (byRate.some(([better, worse]) => better === arm && (control === null || worse === control))) return "better";
      return byRate.some(([better, worse]) => worse === arm && (control === null || better === control))
        ? "worse"
        : null;
    },
  } as const;
}

/** Of an arm that is out some other is better, whichever it is; who is left alone is first, whatever two arms show of each other. */
function rankIn(
  standing: readonly Pick<ContestArm, "status">[],
  one: Pick<ContestArm, "status">,
  [low, high]: readonly [number, number],
): [number, number] {
  if (one.status === "out") return [Math.max(2, low), Math.max(2, high)];
  const isAlone = one.status === "best_set" && standing.every((arm) => arm === one || arm.status === "out");
  return isAlone ? [1, 1] : [low, high];
}

/** All stored trials of the two say it, too. */
const isBorneOut = (pair: PlayedPair | undefined, side: Side): boolean =>
  pair?.findings.conclusion === (side === "a" ? "a_preferred" : "b_preferred");

type Shown = ReturnType<typeof shownAgainst>;

function claimsAgainst({ plan }: ContestRules, played: readonly PlayedPair[], shown: Shown): readonly Beats[] {
  return plan.pairs.flatMap(({ arms }, place) => {
    const arm = arms.find((one) => one !== plan.control) ?? "";
    const [side, other]: readonly Side[] = arms[0] === arm ? ["a", "b"] : ["b", "a"];
    const control = plan.control ?? "";
    if (side && shown.get(arm) === "better" && isBorneOut(played[place], side)) return [[arm, control] as const];
    return other && shown.get(arm) === "worse" && isBorneOut(played[place], other) ? [[control, arm] as const] : [];
  });
}

function claimOf(arm: string, claims: readonly Beats[], opening: GateOpening | undefined): ContestArm["claim"] {
  const claim = claims.find((one) => one.includes(arm));
  if (claim) return claim[0] === arm ? "better" : "worse";
  return opening === "not_worse" ? opening : null;
}

/** By arm the mean of its differences to those that it is compared with. The control lies at 0. */
function leadsOf(
  { plan }: Pick<ContestRules, "plan">,
  results: readonly Series["result"][],
): ReadonlyMap<string, number | null> {
  const of = (arm: string) => {
    const own = results.flatMap((result) => {
      if (result?.candidate === arm) return result.difference;
      return result?.control === arm ? -result.difference : [];
    });
    if (own.length === 0) return null;
    return plan.mode === "against" && arm === plan.control ? 0 : own.reduce((sum, one) => sum + one, 0) / own.length;
  };
  return new Map(plan.arms.map((arm) => [arm, of(arm)]));
}

const byLead = (one: ContestArm, other: ContestArm): number =>
  Number(one.status === "out") - Number(other.status === "out") || (other.lead ?? -2) - (one.lead ?? -2);

interface Gating {
  readonly rules: ContestRules;
  readonly played: readonly PlayedPair[];
  readonly reports: ReadonlyMap<number, Series>;
  readonly shown: Shown;
  readonly standing: ReturnType<typeof standingIn>["arms"];
}

/**
 * What a gate says of each arm: what it would say of the two arms alone, where it holds together with what is said of all others.
 * Without a control only who is left alone is better than the others.
 */
function openingsOf(gating: Gating): ReadonlyMap<string, GateOpening> {
  const { rules, standing } = gating;
  const { control } = rules.plan;
  return new Map(
    standing.map(({ arm_id }) => [
      arm_id,
      control === null ? openingOfBest(gating, arm_id) : openingAgainst(gating, arm_id),
    ]),
  );
}

function openingAgainst({ rules, reports, shown }: Gating, arm: string): GateOpening {
  const { plan } = rules;
  if (arm === plan.control) return "control";
  const report = reports.get(plan.pairs.findIndex(({ arms }) => isAgainst(arms, plan.control, arm)));
  const alone = report?.gate[arm] ?? null;
  const together = shown.get(arm) ?? null;
  if (alone === "better" && together === "better") return "better";
  if (alone !== null) return together === "better" || together === "not_worse" ? "not_worse" : "not_shown";
  const why = report?.gate_reasons?.[arm]?.because ?? "not_shown";
  return why === "worse" && together !== "worse" ? "not_shown" : why;
}

function openingOfBest({ rules, reports, standing }: Gating, arm: string): GateOpening {
  const [first, second] = standing.filter(({ status }) => status === "best_set");
  if (first?.arm_id !== arm)
    return standing.some(({ arm_id, status }) => arm_id === arm && status === "out") ? "worse" : "not_shown";
  if (second !== undefined) return "not_shown";
  const whys = rules.plan.pairs.flatMap(({ arms }, place) =>
    arms.includes(arm) ? (reports.get(place)?.gate_reasons?.[arm]?.because ?? []) : [],
  );
  return whys.find((why) => !BY_OTHERS.has(why)) ?? "better";
}

/** What two arms alone do not show: the others have shown it. */
const BY_OTHERS: ReadonlySet<GateOpening> = new Set(["not_shown", "few_pairs"]);

function flagsOf(played: readonly PlayedPair[], reports: ReadonlyMap<number, Series>): Contest["flags"] {
  const raised = new Set<SeriesFlag>([...reports.values()].flatMap(({ flags }) => flags));
  for (const [place, { findings }] of played.entries()) {
    const known: Partial<Record<SeriesFlag, boolean>> = reports.has(place) ? {} : raisedByTrials(findings);
    for (const flag of SERIES_FLAGS) if (known[flag]) raised.add(flag);
  }
  return SERIES_FLAGS.filter((flag) => raised.has(flag));
}
