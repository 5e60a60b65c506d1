import { KEYLESS_PROVIDERS } from "../../../arms/model/credentials.ts";
import { RECIPES } from "../../../arms/recipe/recipes.ts";
import { isScripted } from "../../../domain/model-name.ts";
import type { Side } from "../../../domain/verdict.ts";
import type { Case, JudgedArm } from "../judge.ts";
import { scenarioBrief } from "../scenario-brief.ts";
import { type EvidenceView, evidenceView } from "./evidence-view.ts";
import { hiddenNotes } from "./hidden-notes.ts";
import { identityRedactor } from "./identity-redactor.ts";

/** What the judge sees of both arms. */
export type PairViews = Readonly<Record<Side, EvidenceView>>;

/**
 * Both views hide the names of the models and agents of both arms, so that a view does not depend on its slot.
 * @param nameOf what files are called; absent: by their paths
 * @throws the signal's reason when it fires.
 */
export async function pairViews(
  kase: Case,
  signal: AbortSignal,
  nameOf?: (path: string) => string,
): Promise<PairViews> {
  const redact = identityRedactor([...namesOf(kase.a), ...namesOf(kase.b)], [...wordsOf(kase.a), ...wordsOf(kase.b)]);
  const { deliverable, answer = false, prompt } = kase.task;
  const hidden = await hiddenNotes(kase, [scenarioBrief(kase.task, kase.rubric, kase.policies)]);
  const settings = {
    ...kase.rubric.judge,
    deliverable,
    answer,
    prompt,
    ...(hidden && { hidden }),
    ...(nameOf && { nameOf }),
  };
  const a = await evidenceView(kase.a, settings, redact);
  const b = await evidenceView(kase.b, settings, redact);
  // A run that was stopped meanwhile pays for no judge.
  signal.throwIfAborted();
  return { a, b };
}

/** The names of the arm's model and agent. */
function namesOf({ summary }: JudgedArm): string[] {
  const { model, model_served, agent, imported } = summary;
  const own = [model, providerOf(model), modelOf(model), model_served ?? "", imported?.agent ?? ""];
  const recipe = agent?.recipe ?? imported?.agent ?? null;
  const identities = RECIPES.find(({ name }) => name === recipe)?.identities ?? [];
  return [...own.filter((name) => !isWords(model, name)), ...identities];
}

/** Those of its names that are everyday words, which anybody may write. */
const wordsOf = ({ summary: { model, model_served } }: JudgedArm): string[] =>
  [modelOf(model), model_served ?? ""].filter((name) => isWords(model, name));

const providerOf = (model: string) => model.slice(0, model.indexOf("/"));
const modelOf = (model: string) => model.slice(model.indexOf("/") + 1);

/** Authors of scripts and home-served models choose their names, often by what they do: `root-cause`. Families are hidden anyway. */
const isWords = (model: string, name: string) =>
  (isScripted(model) || KEYLESS_PROVIDERS.includes(providerOf(model))) && /^\p{L}+(?:[-_ ]\p{L}+)*$/u.test(name);
