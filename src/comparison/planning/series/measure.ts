import { Failure } from "../../../domain/failure.ts";
import type { SeriesMeasure, SeriesPlan } from "../../../domain/series-record.ts";
import { givesNumber } from "../../../domain/task.ts";
import type { LoadedScenario, SeriesAsks } from "../../scenario/loaded-scenario.ts";

interface Member {
  readonly loaded: LoadedScenario;
}

/**
 * What the plan says of its measure: what was asked for, else what the series that goes on measures, else what its scenarios ask.
 * @throws Failure `invalid_request` for a measure that they cannot give
 */
export function plannedMeasure(
  members: readonly Member[],
  asked: SeriesMeasure | undefined,
  before: SeriesPlan | undefined,
): Pick<SeriesPlan, "measure"> {
  if (asked === undefined && before) return before.measure === undefined ? {} : { measure: before.measure };
  const measure = asked ?? commonAsk(members, "measure") ?? measureOf(members);
  const ungraded = measure === "score" ? members.find((member) => !isGraded(member)) : undefined;
  if (ungraded)
    throw refused(
      `score: ${ungraded.loaded.file} has no check that gives a number, so that there is no score; add \`score: true\` to a check of task.probe, take solved or preferred, or compare a table of scores with --results`,
    );
  const without = measure === "solved" ? members.find((member) => !hasRequired(member)) : undefined;
  if (without)
    throw refused(
      `solved: ${without.loaded.file} has no required check, so that nobody knows what an arm solved; add \`required: true\` to a check of task.probe, or take preferred`,
    );
  return { measure };
}

/**
 * What the files of a series ask for alike; undefined where none asks.
 * @throws Failure `invalid_request` where two ask for different things
 */
export function commonAsk<K extends keyof SeriesAsks>(members: readonly Member[], field: K): SeriesAsks[K] {
  const asking = members.filter(({ loaded: { asks } }) => asks?.[field] !== undefined);
  const [first] = asking;
  const wants = first?.loaded.asks?.[field];
  const other = asking.find(({ loaded: { asks } }) => asks?.[field] !== wants)?.loaded;
  if (first && other)
    throw new Failure(
      "invalid_request",
      `${field}: ${first.loaded.file} asks for ${wants} and ${other.file} for ${other.asks?.[field]}, and a series has one; choose it with ${field} (--${field})`,
      { details: { field } },
    );
  return wants;
}

const refused = (what: string) =>
  new Failure("invalid_request", `measure (--measure): ${what}`, { details: { field: "measure" } });

function measureOf(members: readonly Member[]): SeriesMeasure {
  const isFact = (member: Member) => hasRequired(member) && !isJudged(member);
  if (members.every(isFact)) return "solved";
  return members.every((member) => isGraded(member) && !isJudged(member)) ? "score" : "preferred";
}

const isGraded = ({ loaded: { definition } }: Member): boolean =>
  definition.task.probe?.checks.some(givesNumber) === true;

const hasRequired = ({ loaded: { definition } }: Member): boolean =>
  definition.task.probe?.checks.some(({ required }) => required) === true;

const isJudged = ({ loaded: { definition } }: Member): boolean =>
  definition.rubric.criteria.some(({ kind }) => kind === "judged");
