import { questionColumn, rubricOf } from "../../../src/domain/comparison-parts.ts";
import type { CompareOptions, Row } from "./api.ts";
import { type Functions, HIDDEN } from "./functions.ts";
import { pathOf, SECRET_HEADER, type Served } from "./serve.ts";

type Options = CompareOptions<Row, string>;

/** The variable that abeval takes the secret from. */
export const SECRET_VARIABLE = "ABEVAL_ENDPOINT_SECRET";

/** The scenario that asks functions, as a file would say it. @throws TypeError for what nothing could be told of */
export function scenarioOf(
  options: Options,
  functions: Functions,
  graded: ReadonlySet<string>,
  { url }: Served,
): object {
  const { name = "functions", rows, question, judgeModel: judge_model, cluster, maxSeconds } = options;
  const { arms, checks } = functions;
  if (question === undefined && checks.length === 0)
    throw new TypeError("nothing says which answer is better; give checks, a question for the judge, or both");
  const asked = (kind: "arm" | "check", { id, version }: { id: string; version: string | undefined }) => ({
    url: url + pathOf(kind, id),
    ...(version !== undefined && { version }),
    headers_env: { [SECRET_HEADER]: SECRET_VARIABLE },
  });
  const posted = checks.map(({ min_score, ...check }) => ({
    id: check.id,
    posted: asked("check", check),
    ...(maxSeconds !== undefined && { timeout_s: maxSeconds }),
    ...(graded.has(check.id) ? { score: true, min_score } : {}),
    ...((!graded.has(check.id) || min_score !== undefined) && { required: true }),
  }));
  return {
    name,
    title: question ?? `Which of ${arms.length} functions answers better?`,
    tags: ["functions"],
    varies: ["endpoint"],
    inputs: rows,
    ...(cluster !== undefined && { cluster }),
    task: { prompt: promptOf(options), deliverable: "answer", ...(posted.length > 0 && { probe: { checks: posted } }) },
    arms: arms.map((arm) => ({ id: arm.id, endpoint: asked("arm", arm) })),
    rubric: rubricOf({ question, judge_model, has_checks: checks.length > 0 }),
    ...(maxSeconds !== undefined && { policies: { budget: { max_seconds: maxSeconds } } }),
  };
}

/** What the judge is told that was asked: of a table without a column for it, all that arms see and each row has. */
function promptOf({ prompt, rows, hide = HIDDEN }: Options): string {
  if (prompt !== undefined) return prompt;
  const columns = Object.keys(rows[0] ?? {}).filter((column) => column !== "id" && !hide.includes(column));
  const own = questionColumn(columns);
  if (own !== undefined) return `{{${own}}}`;
  const shared = columns.filter((column) => rows.every((row) => (row as Record<string, unknown>)[column] != null));
  return shared.length === 0 ? "Answer as you do." : shared.map((column) => `${column}: {{${column}}}`).join("\n");
}
