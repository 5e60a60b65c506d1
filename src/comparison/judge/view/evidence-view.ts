import { BYTES_PER_TOKEN } from "../../../domain/defaults.ts";
import type { Rubric } from "../../../domain/rubric.ts";
import { breathe } from "../../../runtime/pace.ts";
import type { JudgedArm } from "../judge.ts";
import { withoutAgentNotes } from "./agent-notes.ts";
import { draftText } from "./clip.ts";
import { diffSection, draftDiff } from "./diff-section.ts";
import { digestSection, draftDigest } from "./digest-section.ts";
import type { RedactIdentity } from "./identity-redactor.ts";
import type { Section } from "./section.ts";
import { answerSection, draftProbe, notesSection, probeSection } from "./text-sections.ts";

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
  /** The task's; absent: it asks for no file by name. */
  readonly prompt?: string;
}

/** Share of the budget for line marks and fences, and share of the rest for notes on omissions. */
const RESERVE = 0.2;
const NOTES = 0.5 / 12;

/** How the remainder is divided. Unused shares move inside the same arm, to the others in this order. */
const SHARES = { diff: 5 / 11.5, digest: 4 / 11.5, answer: 1.5 / 11.5, probe: 1 / 11.5 };
type Shared = keyof typeof SHARES;
const SHARED: readonly Shared[] = ["diff", "digest", "answer", "probe"];

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
  const { summary, decisions } = arm;
  const bytes = Math.floor(settings.max_evidence_tokens * BYTES_PER_TOKEN * (1 - RESERVE) * (1 - NOTES));
  const told = withoutAgentNotes(summary, settings.prompt ?? "");
  const diff = await draftDiff(told, bytes, settings.deliverable);
  const digest = await draftDigest(decisions, redact);
  const probe =
    settings.probe_visibility === "shown" && summary.probe !== null ? await draftProbe(summary.probe, bytes) : null;
  await breathe();
  const answer = draftText(summary.final_answer ?? "", bytes, redact);
  const budget = allocate(bytes, {
    diff: diff.bytes,
    digest: digest.bytes,
    answer: answer.bytes,
    probe: probe?.bytes ?? 0,
  });
  await breathe();
  const shown = [
    diffSection(diff, budget.diff),
    digestSection(digest, budget.digest),
    ...(probe ? [probeSection(probe, budget.probe)] : []),
    answerSection(answer, budget.answer),
  ];
  return {
    sections: [...shown, notesSection(shown)],
    truncated: shown.some(({ omissions, core_cut }) => omissions.length > 0 || core_cut),
    truncated_core: shown.some(({ core_cut }) => core_cut),
    redactions: answer.redactions + digest.redactions,
    identity_in_changes: told.tells,
  };
}

/** Shares are whole bytes, so that a need can be met exactly. */
function allocate(bytes: number, needs: Readonly<Record<Shared, number>>): Record<Shared, number> {
  const budget = { ...needs };
  for (const name of SHARED) budget[name] = Math.min(Math.floor(SHARES[name] * bytes), needs[name]);
  let spare = bytes - SHARED.reduce((sum, name) => sum + budget[name], 0);
  for (const name of SHARED) {
    const extra = Math.min(spare, needs[name] - budget[name]);
    budget[name] += extra;
    spare -= extra;
  }
  return budget;
}
