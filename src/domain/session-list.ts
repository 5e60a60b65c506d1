import { type Static, type TNull, type TNumber, type TOptional, type TUnion, Type } from "@sinclair/typebox";
import { columnsWith, type FigureField } from "./listed-columns.ts";
import { MAX_PAGE } from "./request.ts";
import { InputId } from "./scenario.ts";
import { Count, Digest, nullable, oneOf, record, Share, Slug, Timestamp, UserName } from "./schema.ts";
import { ARM_STATUSES, SeriesId, SessionId, STATES, TrialPlace } from "./session.ts";
import { CONFIDENCES, OUTCOMES } from "./verdict.ts";

const UNITS = {
  usd: Type.Number({ minimum: 0 }),
  ms: Type.Integer({ minimum: 0 }),
  count: Type.Integer({ minimum: 0 }),
};

const FIGURES = Object.fromEntries(
  columnsWith("figure").map(
    ([
      ,
      {
        figure: { field, unit, description },
      },
    ]) => [field, Type.Optional(nullable(UNITS[unit], { description }))],
  ),
) as Record<FigureField, TOptional<TUnion<[TNumber, TNull]>>>; // of every figure

export const SessionListing = record("SessionListing", {
  session_id: SessionId,
  scenario: Slug(),
  input: Type.Optional(InputId),
  state: oneOf(STATES),
  created_at: Timestamp("When the session was accepted."),
  finished_at: nullable(Timestamp("When it reached a final state.")),
  arms: Type.Array(
    record("SessionListingArm", {
      arm_id: Slug(),
      model: Type.String(),
      status: oneOf(ARM_STATUSES),
      score: Type.Optional(nullable(Share("Weighted score in the verdict."))),
      checks: Type.Optional(
        nullable(record("SessionListingChecks", { passed: Count("Hidden checks."), total: Count("Hidden checks.") })),
      ),
    }),
  ),
  outcome: nullable(oneOf(OUTCOMES)),
  winner: nullable(Type.String()),
  confidence: nullable(oneOf(CONFIDENCES)),
  judge_model: nullable(Type.String()),
  trial: Type.Optional(TrialPlace),
  user: Type.Optional(UserName),
  title: Type.Optional(Type.String({ description: "Of the scenario. What follows may be absent in sessions of 0.1." })),
  scenario_digest: Type.Optional(Digest("As in SessionOutcome.")),
  ...FIGURES,
  verdicts: Type.Optional(Count("Verdicts, rejudges included.")),
  conflict: Type.Optional(
    Type.Boolean({ description: "Its verdicts on the same two arms name different winners, or a winner and a tie." }),
  ),
  flags: Type.Optional(Type.Array(Type.String(), { description: "Of the verdict." })),
});
export type SessionListing = Static<typeof SessionListing>;

/** Each is looked for in every session. */
const WORDS = 8;

export const SESSION_SORTS = columnsWith("sort").map(([name]) => name);

const FILTER = {
  scenario: Type.Optional(Slug({ description: "Of this scenario." })),
  input: Type.Optional({ ...InputId, description: "Of this row of its inputs." }),
  state: Type.Optional(oneOf(STATES, { description: "In this state." })),
  series_id: Type.Optional({ ...SeriesId, description: "Trials of this series." }),
  outcome: Type.Optional(oneOf(OUTCOMES, { description: "With this outcome." })),
  model: Type.Optional(Type.String({ maxLength: 300, description: "An arm has this model." })),
  judge: Type.Optional(Type.String({ maxLength: 2000, description: "With this judge." })),
  user: Type.Optional({ ...UserName, description: "Asked for by this user." }),
  text: Type.Optional(
    Type.String({
      maxLength: 200,
      pattern: `^\\s*\\S*(\\s+\\S+){0,${WORDS - 1}}\\s*$`,
      description: `At most ${WORDS} words, each in the id, title, arms, models, judge, state or result; A to Z match a to z.`,
    }),
  ),
  blind: Type.Optional(oneOf(["yes"], { description: "`text` is not searched in the result." })),
  conflict: Type.Optional(oneOf(["only"], { description: "Verdicts contradict each other." })),
  trials: Type.Optional(oneOf(["none"], { description: "Leave out trials of a series." })),
};

const SessionFilterSchema = Type.Object(FILTER);
/** Which sessions are meant. */
export type SessionFilter = Static<typeof SessionFilterSchema>;

export const SessionListRequest = record("SessionListRequest", {
  ...FILTER,
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PAGE, description: "The most rows to return." })),
  before: Type.Optional({ ...SessionId, description: "Only sessions older than this one." }),
  sort: Type.Optional(
    oneOf(SESSION_SORTS, {
      description: "`created` (default), or another column; what is unknown comes last, equals newest first.",
    }),
  ),
  order: Type.Optional(oneOf(["asc", "desc"], { description: "`desc` (default): newest or largest first." })),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000_000, description: "Skip this many rows." })),
});
export type SessionListRequest = Static<typeof SessionListRequest>;

export const SessionSummaryRequest = record("SessionSummaryRequest", {
  ...FILTER,
  since: Type.Optional(Timestamp("Only sessions that came after the last one from before this moment.")),
  names: Type.Optional(oneOf(["all"], { description: "Also list every scenario, model and judge." })),
});
export type SessionSummaryRequest = Static<typeof SessionSummaryRequest>;

const Tally = record(
  "SessionTally",
  { name: Type.String(), sessions: Count("Sessions.") },
  { description: "How many sessions have something." },
);
export type SessionTally = Static<typeof Tally>;

/** Names that a summary gives at most of each kind, those with most sessions first. */
export const MAX_TALLIES = 200;

const tallies = (description: string) => Type.Array(Tally, { maxItems: MAX_TALLIES, description });

export const SessionSummary = record(
  "SessionSummary",
  {
    sessions: Count("That match."),
    results: tallies("By outcome, or by state where there is no verdict."),
    conflicts: Count("Sessions whose verdicts contradict each other."),
    cost_usd: nullable(Type.Number({ minimum: 0 }), { description: "Of those whose cost is known; null: of none." }),
    cost_unknown: Count("Sessions whose cost is not known."),
    wall_ms: Count("Of those that have ended, added up."),
    known: Type.Optional(
      record(
        "SessionNames",
        {
          scenarios: tallies("Scenarios."),
          models: tallies("Models of arms; a session whose arms share one counts once."),
          judges: tallies("Judges."),
          users: Type.Optional(tallies("Who asked. Absent: unnamed.")),
        },
        { description: "What all sessions have, whatever they were chosen by. Absent unless `names` is asked for." },
      ),
    ),
  },
  { description: "Many sessions in figures." },
);
export type SessionSummary = Static<typeof SessionSummary>;

/** The words of a text that is looked for, as `searchedText` has them. */
export const searchedWords = (text: string | undefined): readonly string[] =>
  text === undefined ? [] : [...new Set(inLowerCase(text).split(/\s+/).filter(Boolean))];

/** A to Z only, as SQLite does it. */
export const inLowerCase = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
