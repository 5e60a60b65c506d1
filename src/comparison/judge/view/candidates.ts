import type { Side } from "../../../domain/verdict.ts";
import { QUOTE_CHARS } from "../answer/judgement-schema.ts";
import type { Case } from "../judge.ts";
import { scenarioBrief } from "../scenario-brief.ts";
import type { JudgeResult } from "../verdict/judge-result.ts";
import { clip, LEFT_OUT } from "./clip.ts";
import type { EvidenceView } from "./evidence-view.ts";
import { suspectLines } from "./injection-scan.ts";
import { type PairViews, pairViews } from "./pair-views.ts";
import type { ViewLine } from "./section.ts";
import { WITHHELD, withoutWords } from "./without-words.ts";

/** What every judge of a case is shown. */
export interface Candidates {
  readonly views: PairViews;
  /** The lines of each arm that seem to address the judge. */
  readonly suspicions: JudgeResult["suspicions"];
  /**
   * For a masked repetition: without the arms' words, null when neither arm changed code; where the answer is the work, without
   * the suspected lines, null when there are none. Made once, when it is first asked for.
   */
  masked(): Promise<PairViews | null>;
}

/** @throws the signal's reason when it fires. */
export async function gatherCandidates(kase: Case, signal: AbortSignal): Promise<Candidates> {
  const views = await pairViews(kase, signal);
  const suspects = { a: await suspectLines(views.a), b: await suspectLines(views.b) };
  let masked: Promise<PairViews | null> | undefined;
  return {
    views,
    suspicions: [...told(suspects, "a"), ...told(suspects, "b")],
    masked: async () => {
      if (kase.task.answer) return withoutLines(views, suspects);
      masked ??= maskedViews(kase, signal);
      return await masked;
    },
  };
}

/** Both views without the arms' words; null when neither arm changed code. */
async function maskedViews(kase: Case, signal: AbortSignal): Promise<PairViews | null> {
  const brief = scenarioBrief(kase.task, kase.rubric, kase.policies);
  const [a, b] = [await withoutWords(kase.a, brief), await withoutWords(kase.b, brief)];
  if (!a.has_code && !b.has_code) return null;
  return await pairViews({ ...kase, a: a.arm, b: b.arm }, signal);
}

type SuspectLines = Readonly<Record<Side, readonly ViewLine[]>>;

/** Both views without some of their lines; null when there are none. */
function withoutLines({ a, b }: PairViews, lines: SuspectLines): PairViews | null {
  const withheld = new Set([...lines.a, ...lines.b]);
  const shown = (line: ViewLine) => (withheld.has(line) ? { ...line, text: WITHHELD } : line);
  const without = (view: EvidenceView): EvidenceView => ({
    ...view,
    sections: view.sections.map((section) => ({ ...section, lines: section.lines.map(shown) })),
  });
  return withheld.size === 0 ? null : { a: without(a), b: without(b) };
}

/** Lines kept per arm; one is enough to suspect it. */
const KEPT_LINES = 8;

/** Characters kept of the place where a line stands. */
const WHERE_CHARS = 250;

function told(lines: SuspectLines, side: Side): JudgeResult["suspicions"] {
  return lines[side].slice(0, KEPT_LINES).map(({ text, item }) => ({
    side,
    where: item && clip(`${item.kind} ${item.ref}`, WHERE_CHARS),
    quote: clip(text.replace(/^\+?\s*/, ""), QUOTE_CHARS - LEFT_OUT.length - 2),
    found_by: "scan",
  }));
}
