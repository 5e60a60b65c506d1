import { RECIPES } from "../agent/recipe/recipes.ts";
import type { Side } from "../domain/verdict.ts";
import { type EvidenceView, evidenceView } from "./evidence-view.ts";
import type { Case, JudgedArm } from "./judge.ts";
import { scenarioBrief } from "./scenario-brief.ts";
import { identityRedactor } from "./view/identity-redactor.ts";
import { withoutWords } from "./view/without-words.ts";

/** What the judge sees of both arms. */
export type PairViews = Readonly<Record<Side, EvidenceView>>;

/**
 * Both views hide the names of the models and agents of both arms, so that a view does not depend on its slot.
 * @throws the signal's reason when it fires.
 */
export async function pairViews(kase: Case, signal: AbortSignal): Promise<PairViews> {
  const redact = identityRedactor([...namesOf(kase.a), ...namesOf(kase.b)]);
  const settings = { ...kase.rubric.judge, deliverable: kase.task.deliverable, prompt: kase.task.prompt };
  const a = await evidenceView(kase.a, settings, redact);
  const b = await evidenceView(kase.b, settings, redact);
  // A run that was stopped meanwhile pays for no judge.
  signal.throwIfAborted();
  return { a, b };
}

/** Both views without the arms' words; null when neither arm changed code. */
export async function maskedViews(kase: Case, signal: AbortSignal): Promise<PairViews | null> {
  const brief = scenarioBrief(kase.task, kase.rubric, kase.policies);
  const [a, b] = [await withoutWords(kase.a, brief), await withoutWords(kase.b, brief)];
  if (!a.has_code && !b.has_code) return null;
  return await pairViews({ ...kase, a: a.arm, b: b.arm }, signal);
}

/** Of the model and of the agent. */
function namesOf({ summary }: JudgedArm): string[] {
  const slash = summary.model.indexOf("/");
  const [provider, model] = [summary.model.slice(0, slash), summary.model.slice(slash + 1)];
  const agent = RECIPES.find(({ name }) => name === summary.agent?.recipe)?.identities ?? [];
  return [summary.model, provider, model, summary.model_served ?? "", ...agent];
}
