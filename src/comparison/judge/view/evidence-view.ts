import { KEYLESS_PROVIDERS } from "../../../arms/model/credentials.ts";
import { RECIPES } from "../../../arms/recipe/recipes.ts";
import type { Decision } from "../../../domain/decision.ts";
import { BYTES_PER_TOKEN } from "../../../domain/defaults.ts";
import { isScripted } from "../../../domain/model-name.ts";
import type { Rubric } from "../../../domain/rubric.ts";
import type { Side } from "../../../domain/verdict.ts";
import { breathe } from "../../../runtime/pace.ts";
import type { Case, JudgedArm } from "../judge.ts";
import { scenarioBrief } from "../scenario-brief.ts";
import { draftText, LINE_CHARS } from "./clip.ts";
import { diffSection, draftDiff } from "./diff-section.ts";
import { digestSection, draftDigest } from "./digest-section.ts";
import { type HiddenNotes, hiddenNotes } from "./hidden-notes.ts";
import { type BlindChanges, identityRedactor, type RedactIdentity, withoutAgentNotes } from "./identity-redactor.ts";
import type { Section } from "./section.ts";
import { answerSection, draftAnswers, draftProbe, probeSection, workSection } from "./text-sections.ts";
/** What a judge sees of one arm. */
export interface EvidenceView {
  readonly sections: readonly Section[];
  /** Something was left out for space. */
  readonly truncated: boolean;
  /** Part of the answer itself was left out. */
  readonly truncated_core: boolean;
  /** Names that were replaced in narrative text. */
  readonly redactions: number;
  /** Something in the change tells which agent it was. */
  readonly identity_in_changes: boolean;
}

/** What the rubric and the task decide about a view. */
interface ViewSettings extends Pick<Rubric["judge"], "probe_visibility" | "max_evidence_tokens"> {
  readonly deliverable: readonly string[];
  /** The final answer is the work, or part of it. */
  readonly answer?: boolean;
  /** The task's and the arms' own; absent: it asks for no file by name. */
  readonly prompt?: string;
  /** What the arms' own files and prompts say; absent: neither has any. */
  readonly hidden?: HiddenNotes;
  /** What files are called; absent: by their paths. */
  readonly nameOf?: (path: string) => string;
}

/** Share of the budget for line marks and fences, and share of the rest for notes on omissions. */
const RESERVE = 0.2;
const NOTES = 0.5 / 12;

const SHARED = ["diff", "digest", "answer", "probe"] as const;
type Shares = Readonly<Record<(typeof SHARED)[number], number>>;

/** How the remainder is divided, in parts of 11.5. Unused shares move inside the same arm, to the others in this order. */
const OF_FILES: Shares = { diff: 5, digest: 4, answer: 1.5, probe: 1 };
const OF_ANSWER: Shares = { diff: 0, digest: 3.5, answer: 7, probe: 1 };
const OF_BOTH: Shares = { diff: 3.5, digest: 3, answer: 4, probe: 1 };
const PARTS = 11.5;

/**
 * What a judge sees depends only on this arm, the rubric's judge settings and the model names of the pair, which `redact`
 * hides in both views. So it is the same bytes in either slot and order, and nothing that the opponent did, said or is
 * called changes a byte.
 */
export async function evidenceView(
  arm: JudgedArm,
  settings: ViewSettings,
  redact: RedactIdentity,
): Promise<EvidenceView> {
  const bytes = Math.floor(settings.max_evidence_tokens * BYTES_PER_TOKEN * (1 - RESERVE) * (1 - NOTES));
  const told = withoutAgentNotes(arm.summary, settings.prompt ?? "");
  const drafts = await draftsOf(arm, { told, settings, bytes, redact });
  const budget = allocate(bytes, sharesOf(settings), needsOf(drafts));
  await breathe();
  const shown = sectionsOf(drafts, budget, settings.answer === true);
  return {
    sections: [...shown, notesSection(shown, settings.hidden?.told)],
    truncated: shown.some(({ omissions, core_cut }) => omissions.length > 0 || core_cut),
    truncated_core: shown.some(({ core_cut }) => core_cut),
    redactions: drafts.answer.redactions + drafts.digest.redactions + (drafts.probe?.redactions ?? 0),
    identity_in_changes: told.tells,
  };
}

/** What the sections above leave out. */
function notesSection(sections: readonly Section[], hidden: readonly string[] = []): Section {
  const omissions = [...sections.flatMap((section) => section.omissions), ...hidden];
  const lines = (omissions.length > 0 ? omissions : ["Nothing was left out."]).map((text) => ({
    text,
    authored: false,
    item: null,
  }));
  return { name: "notes", title: "What was left out (no fault of the agent)", lines, omissions: [], core_cut: false };
}

interface Drafting {
  readonly told: BlindChanges;
  readonly settings: ViewSettings;
  readonly bytes: number;
  readonly redact: RedactIdentity;
}

/** Characters of one line of an answer that is the work: paragraphs are lines. */
const WORK_LINE_CHARS = 10_000;

/** Everything that could be shown, read but not yet cut. Files that are no part of the work are not shown. */
async function draftsOf({ summary, decisions }: JudgedArm, { told, settings, bytes, redact: redactName }: Drafting) {
  const { deliverable, answer: isWork = false, probe_visibility, hidden, nameOf: called } = settings;
  const redact: RedactIdentity = hidden ? (text) => redactName(hidden.text(text)) : redactName;
  const diff =
    isWork && deliverable.length === 0 ? null : await draftDiff(told, bytes, { deliverable, hidden, called });
  const digest = await draftDigest(isWork ? withoutRepeatedAnswer(decisions) : decisions, redact, hidden);
  const probe =
    probe_visibility === "shown" && summary.probe !== null ? await draftProbe(summary.probe, bytes, redact) : null;
  await breathe();
  const answer = draftAnswers(summary, (text) => draftText(text, bytes, redact, isWork ? WORK_LINE_CHARS : LINE_CHARS));
  return { diff, digest, probe, answer };
}

type Drafts = Awaited<ReturnType<typeof draftsOf>>;

const needsOf = ({ diff, digest, answer, probe }: Drafts): Shares => ({
  ...{ diff: diff?.bytes ?? 0, digest: digest.bytes },
  ...{ answer: answer.bytes, probe: probe?.bytes ?? 0 },
});

function sharesOf({ answer, deliverable }: ViewSettings): Shares {
  if (!answer) return OF_FILES;
  return deliverable.length === 0 ? OF_ANSWER : OF_BOTH;
}

/** The work comes first, and claims last. */
const sectionsOf = ({ diff, digest, answer, probe }: Drafts, budget: Shares, isWork: boolean): readonly Section[] => [
  ...(isWork ? [workSection(answer, budget.answer)] : []),
  ...(diff ? [diffSection(diff, budget.diff)] : []),
  digestSection(digest, budget.digest),
  ...(probe ? [probeSection(probe, budget.probe)] : []),
  ...(isWork ? [] : [answerSection(answer, budget.answer)]),
];

/** Shares are whole bytes, so that a need can be met exactly. */
function allocate(bytes: number, shares: Shares, needs: Shares): Shares {
  const budget = { ...needs };
  for (const name of SHARED) budget[name] = Math.min(Math.floor((shares[name] / PARTS) * bytes), needs[name]);
  let spare = bytes - SHARED.reduce((sum, name) => sum + budget[name], 0);
  for (const name of SHARED) {
    const extra = Math.min(spare, needs[name] - budget[name]);
    budget[name] += extra;
    spare -= extra;
  }
  return budget;
}

/** The work is read once: the turn that gave the answer said the same. */
function withoutRepeatedAnswer(decisions: readonly Decision[]): readonly Decision[] {
  return decisions.map((decision, index) =>
    decision.kind === "model_turn" && decision.detail && decisions[index + 1]?.kind === "final_answer"
      ? { ...decision, detail: { ...decision.detail, text: "" } }
      : decision,
  );
}

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
  const { deliverable, answer = false, prompt: of_task } = kase.task;
  const prompt = [of_task, ...(kase.prompts ?? [])].join("\n");
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

/** Names of the model that are everyday words, which anybody may write. */
const wordsOf = ({ summary: { model, model_served } }: JudgedArm): string[] =>
  [modelOf(model), model_served ?? ""].filter((name) => isWords(model, name));

const providerOf = (model: string) => model.slice(0, model.indexOf("/"));
const modelOf = (model: string) => model.slice(model.indexOf("/") + 1);

/** Authors of scripts and home-served models choose their names, often by what they do: `root-cause`. Families are hidden anyway. */
const isWords = (model: string, name: string) =>
  (isScripted(model) || KEYLESS_PROVIDERS.includes(providerOf(model))) && /^\p{L}+(?:[-_ ]\p{L}+)*$/u.test(name);
