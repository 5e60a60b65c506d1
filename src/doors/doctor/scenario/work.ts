import { isJudged } from "../../../comparison/judge/scenario-brief.ts";
import { judgeModelName } from "../../../comparison/planning/choose-judge.ts";
import { needOfImage } from "../../../comparison/planning/needs.ts";
import { workspacePlaces } from "../../../comparison/planning/task-image.ts";
import { canOnlyRead } from "../../../domain/arm.ts";
import { Failure } from "../../../domain/failure.ts";
import { isBuiltin } from "../../../domain/model-name.ts";
import { checkKind, looksAtAnswer } from "../../../domain/task.ts";
import { type Check, check, fail, IDLE, orRefusal, pass, skip, warn } from "../check.ts";
import { type DeclaredScenario, workersWith } from "../services.ts";

/** Both arms would end without work, whatever they do. */
const writable = check("task.files", "Arms can write the deliverable", ({ loaded }: DeclaredScenario) => {
  const { task, arms } = loaded.definition;
  if (task.deliverable.length === 0) return pass(IDLE.no_files);
  if (arms.every(canOnlyRead))
    return fail(
      `no arm has a tool that writes ${task.deliverable.join(", ")}`,
      "set `deliverable: answer`, or give the arms a tool that writes",
    );
  return pass(task.deliverable.join(", "));
});

/** Where nobody reads the work, the arms are compared by what they cost. */
const examined = check("task.answer", "The answer is checked or judged", ({ services, loaded }: DeclaredScenario) => {
  const { task, rubric } = loaded.definition;
  if (!task.answer) return pass(IDLE.no_answer);
  const checks = (task.probe?.checks ?? []).filter(looksAtAnswer);
  if (checks.length > 0) return pass(checks.map((check) => `${check.id} (${checkKind(check)})`).join(", "));
  const questions = rubric.criteria.filter(isJudged).map(({ id }) => id);
  if (questions.length === 0)
    return fail("no check and no question covers it", "add a check such as answer_contains, or a question");
  const judge = judgeModelName(services, undefined, rubric.judge.model);
  return isBuiltin(judge)
    ? warn(
        `only questions cover it (${questions.join(", ")}), and ${judge} cannot answer them`,
        "name a judge: --judge-model",
      )
    : pass(`${judge} answers ${questions.join(", ")}`);
});

export const workChecks: readonly Check<DeclaredScenario>[] = [writable, examined];

/** An image that nobody has ends a run before it begins. */
export const imageCheck = check("task.image", "Image of the task", async ({ services, loaded }: DeclaredScenario) => {
  const { image } = loaded.definition.task;
  if (!image) return pass(IDLE.no_image);
  const places = await orRefusal(() => workspacePlaces(services, loaded), "invalid_request");
  if (!(places instanceof Failure))
    return pass(`${image.path} (sha256:${image.digest.slice(0, 12)}), workspace at ${places?.at}`);
  if (workersWith(services, needOfImage(image.digest)) > 0) return skip(`left to workers: ${places.message}`);
  return fail(places.message, "docs/images.md says how an image comes to a machine");
});
