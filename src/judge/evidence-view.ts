import { BYTES_PER_TOKEN } from "../domain/defaults.ts";
import type { Rubric } from "../domain/scenario.ts";
import type { JudgedArm } from "./judge.ts";
import { diffSection, draftDiff } from "./view/diff-section.ts";
import { digestSection, draftDigest } from "./view/digest-section.ts";
import type { RedactIdentity } from "./view/redact-identity.ts";
import type { Section } from "./view/section.ts";
import { answerSection, draftAnswer, draftProbe, notesSection, probeSection } from "./view/text-sections.ts";

/** What a judge sees of one arm. */
export interface EvidenceView {
  readonly sections: readonly Section[];
  /** Something was left out for space. */
  readonly truncated: boolean;
  /** Part of the answer itself was left out. */
  readonly truncated_core: boolean;
  /** Names that were replaced in narrative text. */
  readonly redactions: number;
}

/** What the rubric and the task say about what a judge sees. */
export interface ViewSettings extends Pick<Rubric["judge"], "probe_visibility" | "max_evidence_tokens"> {
  readonly deliverable: readonly string[];
}

/** Share of the budget that line marks and fences may take, and of the rest what notes on omissions may take. */
const RESERVE = 0.2;
const NOTES = 0.5 / 12;

/** How the remainder is divided before unused shares move. */
const SHARES = { diff: 5 / 11.5, digest: 4 / 11.5, answer: 1.5 / 11.5, probe: 1 / 11.5 };
type Shared = keyof typeof SHARES;

/** Unused shares move inside the same arm, to these in order. */
const RECEIVERS = ["diff", "digest", "answer", "probe"] as const;

/**
 * A fair cut: a function of this arm, the rubric's judge settings and the names to hide, so that it is the same bytes in
 * either slot and order. The names are those of the pair's models, hidden in both views alike by the rule of
 * `identityRedactor`. So what the opponent did or said changes no byte, nor does its id or title.
 */
export async function evidenceView(
  arm: JudgedArm,
  settings: ViewSettings,
  redact: RedactIdentity,
): Promise<EvidenceView> {
  const { summary, decisions } = arm;
  const bytes = Math.floor(settings.max_evidence_tokens * BYTES_PER_TOKEN * (1 - RESERVE) * (1 - NOTES));
  const diff = await draftDiff(summary.changes, bytes, settings.deliverable);
  const digest = draftDigest(decisions, redact);
  const probe =
    settings.probe_visibility === "shown" && summary.probe !== null ? draftProbe(summary.probe, bytes) : null;
  const answer = draftAnswer(summary.final_answer, bytes, redact);
  const budget = allocate(bytes, {
    diff: diff.bytes,
    digest: digest.bytes,
    answer: answer.bytes,
    probe: probe?.bytes ?? 0,
  });
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
  };
}

/** Whole bytes: a need that is met is met exactly. */
function allocate(bytes: number, needs: Record<Shared, number>): Record<Shared, number> {
  const budget = mapShared((name) => Math.min(Math.floor(SHARES[name] * bytes), needs[name]));
  let spare = bytes - total(budget);
  for (const name of RECEIVERS) {
    const extra = Math.min(spare, needs[name] - budget[name]);
    budget[name] += extra;
    spare -= extra;
  }
  return budget;
}

function mapShared(value: (name: Shared) => number): Record<Shared, number> {
  return { diff: value("diff"), digest: value("digest"), answer: value("answer"), probe: value("probe") };
}

const total = (parts: Record<Shared, number>) => Object.values(parts).reduce((sum, part) => sum + part, 0);
