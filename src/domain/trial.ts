import { type Static, Type } from "@sinclair/typebox";
import { isNumberAlone } from "./check-result.ts";
import { shutsGate } from "./editable-inputs.ts";
import { crashOf } from "./end-text.ts";
import type { CheckResult } from "./evidence.ts";
import { cut } from "./excerpt.ts";
import { withInputId } from "./member.ts";
import { isScripted } from "./model-name.ts";
import { PriceDate } from "./price-list.ts";
import { isImported, paidFor, ranElsewhere } from "./ran.ts";
import { InputId } from "./scenario.ts";
import { Count, Digest, nullable, oneOf, record, Share, Slug } from "./schema.ts";
import { SessionFailure, SessionId, type SessionOutcome, TrialPlace } from "./session.ts";
import { STATES } from "./session-state.ts";
import { sha256 } from "./sha256.ts";
import { skillsAmong } from "./skill.ts";
import { judgingsOf, priceDateOf, sumKnown } from "./usage.ts";
import { DECIDERS, KinOf, OUTCOMES, SIDES, type Verdict } from "./verdict.ts";
import { undecidedChecksText } from "./verdict-text.ts";

const TrialArm = record(
  "TrialArm",
  {
    model_served: nullable(Type.String()),
    /** It failed. The other arm is stopped then, which is not its fault. */
    broken: Type.Boolean(),
    solved: nullable(Type.Boolean({ description: "All required checks passed; null without such." })),
    /** Its external agent crashed; absent when it did not, and in rows of earlier versions. */
    crashed: Type.Optional(Type.Literal(true)),
    /** It ran elsewhere, so what it did is as its log says; absent for runs of abeval. */
    by_log: Type.Optional(Type.Literal(true)),
    /** By id; false also for a check that could not be run. Absent in rows of earlier versions and without checks. */
    checks: Type.Optional(Type.Record(Type.String(), Type.Boolean())),
    /** Numbers that checks gave, by id; 0 where one gave none. Absent without such checks. */
    scores: Type.Optional(Type.Record(Type.String(), Share("0 to 1."))),
    /** Of all hidden checks by their weights, where one of them gives a number. */
    score: Type.Optional(Share("0 to 1.")),
    cost_usd: nullable(Type.Number({ minimum: 0 })),
    /** Where the cost is not known but a part of it is. */
    least_cost_usd: Type.Optional(Type.Number({ minimum: 0 })),
    tokens: nullable(Count("Input and output.")),
    /** These three are absent where they are not known, and in rows of earlier versions. */
    tokens_in: Type.Optional(Count("All input.")),
    tokens_out: Type.Optional(Count("Output.")),
    turns: Type.Optional(Count("Model turns.")),
    wall_ms: Count("Milliseconds; 0 until it has ended."),
  },
  { description: "What a series needs of an arm; what it used is known when it has ended." },
);
export type TrialArm = Static<typeof TrialArm>;

const TRIAL_DOUBTS = ["panel_one_family", "no_contrast", "low_confidence"] as const;

const SkillsRead = Type.Record(Type.String(), Type.Boolean(), { description: "By name: whether the arm read it." });

/**
 * What a series needs of a session: its statistics are made of such rows and of nothing else. A store keeps one beside each
 * session, so that a series never reads whole outcomes.
 */
export const TrialRow = record("TrialRow", {
  session_id: SessionId,
  scenario: Slug(),
  input: Type.Optional(InputId),
  comparison: nullable(Digest("As in SessionOutcome; null where it is unknown.")),
  place: nullable(TrialPlace),
  pair: Type.Optional(Count("Place in the pairs of the series' contest, from 0. Absent where two arms are compared.")),
  state: oneOf(STATES),
  failure: nullable(Type.Pick(SessionFailure, ["class", "code", "message"])),
  outcome: nullable(oneOf(OUTCOMES)),
  winner_side: nullable(oneOf(SIDES)),
  decided_by: nullable(oneOf(DECIDERS)),
  could_not_check: Type.Optional(
    Type.String({ description: "Which hidden checks could run on neither arm; absent when all could on one." }),
  ),
  arms: record("TrialArms", { a: TrialArm, b: TrialArm }),
  judge: record("TrialJudge", {
    model_served: nullable(Type.String()),
    kin_of: KinOf,
    cost_usd: nullable(Type.Number({ minimum: 0 })),
  }),
  /** What the verdict's reader is warned of and a series counts. Absent: of nothing such, or of an earlier version. */
  doubts: Type.Optional(Type.Array(oneOf(TRIAL_DOUBTS))),
  skills: Type.Optional(
    record(
      "TrialSkills",
      { a: SkillsRead, b: SkillsRead },
      { description: "Skills that the arms were given or read; absent where there are none." },
    ),
  ),
  /** A digest of what both arms said and called: equal for trials that went the same way; null when unknown. */
  conduct: nullable(Digest("SHA-256.")),
  /** Equal for runs in which no model was asked and that replay the same: copies of one run. Absent where one was asked. */
  draw: Type.Optional(Digest("SHA-256.")),
  stored_run: Type.Optional({
    ...SessionId,
    description: "Where the stored run of an arm took place. Absent: both arms ran.",
  }),
  stored_runs: Type.Optional(
    record(
      "SharedRuns",
      { a: Type.Optional(SessionId), b: Type.Optional(SessionId) },
      { description: "Sessions of the same round in which an arm ran that did not run here. Absent: both ran here." },
    ),
  ),
  spent_usd: Type.Optional(
    nullable(Type.Number({ minimum: 0 }), {
      description: "Of arms that ran here; null = unknown. Absent where both did: their costs are what was spent.",
    }),
  ),
  apart: Type.Optional(Type.Literal(true, { description: "As in Fairness: its arms did not run at the same time." })),
  killed: Type.Optional(Count("Its attempts that were killed from outside; absent when none was.")),
  from_checkout: Type.Optional(
    Type.Literal(true, {
      description: "The author of a change could have made up what was compared. Absent: not known.",
    }),
  ),
  price_date: PriceDate,
  lost_cost_usd: Type.Optional(
    nullable(Type.Number({ minimum: 0 }), { description: "Of attempts that were lost; absent when there are none." }),
  ),
});
export type TrialRow = Static<typeof TrialRow>;

/** Times that a trial is begun again when it was killed from outside. After that it is missing. */
export const MAX_REPLACEMENTS = 2;

/** It ended as it should: with a verdict that can be used. */
export const givesResult = ({ state, outcome }: TrialRow): boolean =>
  state === "completed" && outcome !== null && outcome !== "invalid";

/** A series reads the rows of all its trials. */
const REASON_CHARS = 500;

/** Pure; `outcome` may be without its decisions. Only the run's own verdict counts, never one that was asked for later. */
export function trialRowOf(outcome: Omit<SessionOutcome, "decisions">): TrialRow {
  const { session_id, scenario, comparison = null, trial: place = null, state, failure } = outcome;
  const [a, b] = outcome.arms;
  const conduct = conductOf(a, b);
  const draw = drawOf(outcome) ?? conduct;
  const row: TrialRow = {
    ...{
      session_id,
      scenario,
      ...withInputId(outcome.definition.input?.id),
      comparison,
      place,
      ...pairIn(place),
      state,
    },
    failure: failure && { class: failure.class, code: failure.code, message: cut(failure.message, REASON_CHARS) },
    ...{ outcome: null, winner_side: null, decided_by: null },
    arms: { a: trialArm(a), b: trialArm(b) },
    judge: { model_served: null, cost_usd: null },
    ...skillsOf(a, b),
    conduct,
    ...(draw !== null && isPlayed(outcome) && { draw }),
    ...storedRun(a, b),
    ...sharedRuns(a, b),
    ...priceDateOf(outcome),
    ...(outcome.fairness.apart && { apart: outcome.fairness.apart }),
    ...((a.imported || b.imported || a.shared || b.shared) && { spent_usd: sumKnown([paidFor(a), paidFor(b)]) }),
    ...killedOf(outcome),
    ...(shutsGate(outcome.settings.inputs_from_checkout) && { from_checkout: true }),
    ...(outcome.lost_attempts && { lost_cost_usd: sumKnown(outcome.lost_attempts.map(({ cost_usd }) => cost_usd)) }),
  };
  if (outcome.verdict?.kind !== "run") return row;
  return judgedRow(row, outcome.verdict, sumKnown(judgingsOf(outcome).map(({ cost_usd }) => cost_usd)));
}

const pairIn = (place: TrialRow["place"]) => (place?.pair === undefined ? {} : { pair: place.pair });

function killedOf({ failure, lost_attempts = [] }: Pick<SessionOutcome, "failure" | "lost_attempts">) {
  const lost = lost_attempts.filter(({ killed_from_outside }) => killed_from_outside).length;
  const killed = lost + (failure?.code === "killed_from_outside" ? 1 : 0);
  return killed > 0 && { killed };
}

function storedRun(a: Summary, b: Summary): Pick<TrialRow, "stored_run"> {
  const run = a.imported?.run ?? b.imported?.run;
  return run ? { stored_run: run.session_id } : {};
}

function sharedRuns({ shared: a }: Summary, { shared: b }: Summary): Pick<TrialRow, "stored_runs"> {
  return a || b ? { stored_runs: { ...(a && { a: a.session_id }), ...(b && { b: b.session_id }) } } : {};
}

export const judgedRow = (row: TrialRow, verdict: Verdict, cost_usd = verdict.usage.cost_usd): TrialRow => ({
  ...row,
  outcome: verdict.outcome,
  winner_side: verdict.winner_side,
  decided_by: verdict.decided_by,
  ...couldNotCheck(verdict),
  judge: {
    model_served: verdict.judge.model_served,
    ...(verdict.judge.kin_of && { kin_of: verdict.judge.kin_of }),
    cost_usd,
  },
  ...doubtsOf(verdict),
});

/** A verdict that names no winner has no confidence. */
function doubtsOf({ flags, confidence }: Verdict): Pick<TrialRow, "doubts"> {
  const raised: readonly string[] = confidence === "low" ? [...flags, "low_confidence"] : flags;
  const doubts = TRIAL_DOUBTS.filter((doubt) => raised.includes(doubt));
  return doubts.length === 0 ? {} : { doubts };
}

function couldNotCheck({ facts }: Verdict): Pick<TrialRow, "could_not_check"> {
  const text = undecidedChecksText(facts.a, facts.b);
  return text === null ? {} : { could_not_check: cut(text, REASON_CHARS) };
}

type Summary = SessionOutcome["arms"][number];

function skillsOf(a: Summary, b: Summary): Pick<TrialRow, "skills"> {
  const skills = { a: skillsRead(a), b: skillsRead(b) };
  return Object.keys({ ...skills.a, ...skills.b }).length === 0 ? {} : { skills };
}

/** The skills among its own files and in its agent's home, and others that it read. */
function skillsRead({ notes, agent, skills_used = [] }: Summary): Record<string, boolean> {
  const given = [...skillsAmong(notes?.paths ?? []), ...(agent?.skills ?? [])];
  const read = skills_used.map(({ name }) => given.find((one) => name.endsWith(`:${one}`)) ?? name);
  return Object.fromEntries([...given.map((name) => [name, false]), ...read.map((name) => [name, true])]);
}

function trialArm(summary: Summary): TrialArm {
  const { model_served, status, probe, cost_usd, tokens_in, tokens_out, turns, wall_ms } = summary;
  const least = cost_usd === null ? (summary.at_least?.cost_usd ?? null) : null;
  const required = probe?.checks.filter((check) => check.required) ?? [];
  const seen = {
    model_served,
    broken: status === "failed",
    ...(crashOf(summary) !== null && { crashed: true as const }),
    solved: required.length === 0 ? null : required.every(isPassed),
    ...(ranElsewhere(summary) && { by_log: true as const }),
    ...(probe && checkedIn(probe)),
  };
  if (status === "pending" || status === "running") return { ...seen, cost_usd: null, tokens: null, wall_ms: 0 };
  const bound = least === null ? {} : { least_cost_usd: least };
  // A log that tells of no turn was not read for them.
  const used = Object.entries({ tokens_in, tokens_out, turns: turns || null }).filter(([, count]) => count !== null);
  const tokens = sumKnown([tokens_in, tokens_out]);
  return { ...seen, cost_usd, ...bound, tokens, ...Object.fromEntries(used), wall_ms };
}

function checkedIn({ checks, score }: NonNullable<Summary["probe"]>): Pick<TrialArm, "checks" | "scores" | "score"> {
  const passing = checks.filter((check) => !isNumberAlone(check)).map((check) => [check.id, isPassed(check)] as const);
  const scores = checks.flatMap(({ id, score: number, could_not_run }) =>
    number === undefined || could_not_run !== undefined ? [] : [[id, number] as const],
  );
  const graded = checks.some(({ score: number }) => number !== undefined);
  return {
    checks: Object.fromEntries(passing),
    ...(graded && { scores: Object.fromEntries(scores), score }),
  };
}

const isPassed = ({ status }: CheckResult) => status === "pass";

type Played = Pick<SessionOutcome, "arms" | "settings">;

/** Scripts and recordings answered both arms. */
const isPlayed = ({ arms, settings: { replayed = [] } }: Played): boolean =>
  arms.every(({ arm_id, model }) => isScripted(model) || isImported(model) || replayed.includes(arm_id));

/** What chose among an arm's scripts; null when none had a choice. The same for both arms. */
function drawOf({ settings: { scripts = {} } }: Played): string | null {
  const [choice] = Object.values(scripts);
  return choice === undefined ? null : sha256(`${choice.seed}:${choice.trial}`);
}

function conductOf(a: Summary, b: Summary): string | null {
  // A run that was made elsewhere is the same in every trial: whatever the other arm does, there is one observation of it.
  const ran = [a, b].filter(({ imported }) => imported && !imported.run);
  const digests = (ran.length > 0 ? ran : [a, b]).map(({ replies_digest }) => replies_digest);
  return digests.includes(undefined) ? null : sha256(digests.join("\n"));
}
