import { BYTES_PER_TOKEN } from "../domain/defaults.ts";
import type { Rubric } from "../domain/scenario.ts";
import type { JudgedArm } from "./judge.ts";
import { bounded } from "./view/clip.ts";
import { diffSection, draftDiff } from "./view/diff-section.ts";
import { digestSection, draftDigest } from "./view/digest-section.ts";
import type { RedactIdentity } from "./view/redact-identity.ts";
import type { Section } from "./view/section.ts";
import { answerSection, notesSection, probeSection } from "./view/text-sections.ts";

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

/** Share of the budget that line marks and fences may take. */
const RESERVE = 0.2;

/** How the rest is divided before unused shares move. */
const SHARES = { diff: 5 / 12, digest: 4 / 12, answer: 1.5 / 12, probe: 1 / 12 };
type Shared = keyof typeof SHARES;

/** Unused shares move inside the same arm, to these in order. */
const RECEIVERS = ["diff", "digest", "answer"] as const;

/**
 * A fair cut: depends on this arm, the rubric's judge settings and the names to hide, and on nothing of the other arm,
 * so that it is the same bytes whoever the opponent is, in either slot and order.
 */
export function evidenceView(arm: JudgedArm, settings: Rubric["judge"], redact: RedactIdentity): EvidenceView {
  const { summary, decisions } = arm;
  const probe = settings.probe_visibility === "shown" ? summary.probe : null;
  const answer = redact(bounded(summary.final_answer ?? "", 2 * settings.max_evidence_tokens * BYTES_PER_TOKEN, "\n"));
  const diff = draftDiff(summary.changes);
  const digest = draftDigest(decisions, redact);
  const budget = allocate(settings.max_evidence_tokens * BYTES_PER_TOKEN * (1 - RESERVE), {
    diff: diff.bytes,
    digest: digest.bytes,
    answer: Buffer.byteLength(answer.text) + 1,
    probe: probe ? Buffer.byteLength(probe.checks.map((check) => check.output).join("\n")) : 0,
  });
  const shown = [
    diffSection(diff, budget.diff),
    digestSection(digest, budget.digest),
    ...(probe ? [probeSection(probe, budget.probe)] : []),
    answerSection(answer.text, budget.answer),
  ];
  return {
    sections: [...shown, notesSection(shown)],
    truncated: shown.some(({ omissions, core_cut }) => omissions.length > 0 || core_cut),
    truncated_core: shown.some(({ core_cut }) => core_cut),
    redactions: answer.count + digest.redactions,
  };
}

function allocate(bytes: number, needs: Record<Shared, number>): Record<Shared, number> {
  const budget = mapShared((name) => Math.min(SHARES[name] * bytes, needs[name]));
  const shares = mapShared((name) => SHARES[name] * bytes);
  let spare = total(shares) - total(budget);
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
