import { MAX_EVIDENCE_TOKENS } from "../../../domain/defaults.ts";
import { judgesNamed } from "../../../domain/model-name.ts";
import { panelProblem } from "../../../domain/panel.ts";
import type { Criterion, Rubric } from "../../../domain/rubric.ts";
import type { Problems } from "../authored/problems.ts";
import type { CriterionFile, RubricFile } from "../authored/rubric-file.ts";
import { assignIds, checkDistinct, slugOf } from "./ids.ts";

type CriterionMap = Exclude<CriterionFile, string>;

/** Score gap (-1..1) up to which two arms count as equal. */
const TIE_MARGIN = 0.05;

/** The rubric with every default in place. */
export function resolveRubric(
  problems: Problems,
  { instructions, tie_margin, criteria, judge = {} }: RubricFile,
): Rubric {
  const maps = criteria.map((criterion) => (typeof criterion === "string" ? { question: criterion } : criterion));
  for (const [index, criterion] of maps.entries()) checkKind(problems, index, criterion);
  checkDistinct(
    problems,
    ["rubric", "criteria"],
    maps.map(({ id }) => id),
  );
  if (maps.every(({ weight }) => weight === 0))
    problems.add(["rubric", "criteria"], "every weight is 0, so nothing would decide; give one a weight above 0");
  const model = [judge.model ?? []].flat().join(",") || null;
  checkJudge(problems, model, judge.price_per_mtok !== undefined);
  const ids = assignIds(maps.map((map, index) => ({ given: map.id, proposed: proposedId(map, index) })));
  return {
    instructions: instructions ?? "",
    tie_margin: tie_margin ?? TIE_MARGIN,
    criteria: maps.map((map, index) => resolveCriterion(map, ids[index] ?? "")),
    judge: {
      model,
      probe_visibility: judge.probe_visibility ?? "shown",
      max_evidence_tokens: judge.max_evidence_tokens ?? MAX_EVIDENCE_TOKENS,
      ...(judge.price_per_mtok && { price_per_mtok: { cached_in: null, ...judge.price_per_mtok } }),
    },
  };
}

function checkJudge(problems: Problems, model: string | null, priced: boolean): void {
  const path = ["rubric", "judge", "model"];
  const judges = model === null ? [] : judgesNamed(model);
  const problem = judges.length > 1 ? panelProblem(judges) : undefined;
  if (problem !== undefined) problems.add(path, problem);
  else if (priced && judges.length !== 1)
    problems.add(
      path,
      `${judges.length === 0 ? "missing" : "several"}; price_per_mtok beside it is the price of one model`,
    );
}

function checkKind(problems: Problems, index: number, { question, measure, anchors }: CriterionMap): void {
  const path = ["rubric", "criteria", index];
  if (question === undefined && measure === undefined)
    problems.add(path, "needs a question (scored by the judge) or a measure (scored by code)");
  else if (question !== undefined && measure !== undefined)
    problems.add(path, "has both a question (scored by the judge) and a measure (scored by code); keep one");
  else if (measure !== undefined && anchors !== undefined)
    problems.add([...path, "anchors"], "anchors explain a question's scores; a measure is scored by code");
  else if (question?.trim() === "") problems.add([...path, "question"], "must not be blank");
}

const proposedId = ({ question, measure }: CriterionMap, index: number) =>
  measure === undefined ? slugOf(question ?? "", `criterion-${index + 1}`) : measure.replaceAll("_", "-");

function resolveCriterion({ question, measure, weight = 1, anchors = {} }: CriterionMap, id: string): Criterion {
  return measure === undefined
    ? { id, kind: "judged", question: question ?? "", weight, anchors }
    : { id, kind: "measured", measure, weight };
}
