import type { Side } from "../../../domain/verdict.ts";
import { QUOTE_CHARS } from "../answer/judgement-schema.ts";
import type { Case } from "../judge.ts";
import type { JudgeResult } from "../verdict/judge-result.ts";
import { clip, LEFT_OUT } from "./clip.ts";
import { maskedViews, type PairViews, pairViews } from "./pair-views.ts";
import { suspectLines } from "./suspect-lines.ts";

/** What every judge of a case is shown. */
export interface Candidates {
  readonly views: PairViews;
  /** The lines of each arm that seem to address the judge. */
  readonly suspicions: JudgeResult["suspicions"];
  /** For a masked repetition, without the arms' words; null when neither arm changed code. Made once, when it is first asked for. */
  masked(): Promise<PairViews | null>;
}

/** @throws the signal's reason when it fires. */
export async function gatherCandidates(kase: Case, signal: AbortSignal): Promise<Candidates> {
  const views = await pairViews(kase, signal);
  let masked: Promise<PairViews | null> | undefined;
  return {
    views,
    suspicions: [...(await scanned(views, "a")), ...(await scanned(views, "b"))],
    masked: () => {
      masked ??= maskedViews(kase, signal);
      return masked;
    },
  };
}

/** Lines kept per arm; one is enough to suspect it. */
const KEPT_LINES = 8;

/** Characters kept of the place where a line stands. */
const WHERE_CHARS = 250;

async function scanned(views: PairViews, side: Side): Promise<JudgeResult["suspicions"]> {
  const lines = await suspectLines(views[side]);
  return lines.slice(0, KEPT_LINES).map(({ text, item }) => ({
    side,
    where: item && clip(`${item.kind} ${item.ref}`, WHERE_CHARS),
    quote: clip(text.replace(/^\+?\s*/, ""), QUOTE_CHARS - LEFT_OUT.length - 2),
    found_by: "scan",
  }));
}
