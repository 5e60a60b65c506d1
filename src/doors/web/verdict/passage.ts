import type { Citation } from "../../../domain/verdict.ts";
import type { ShownArm } from "../evidence/shown-arm.ts";

/** A line of what a citation points at. */
export interface PassageLine {
  readonly text: string;
  readonly isCited: boolean;
}

/** Lines of a diff around the cited one. */
const AROUND = 2;
const LINE_CHARS = 240;

/** What a citation points at, as it stands in the evidence; empty where it cannot be found. */
export function passageOf({ arm, decisions }: ShownArm, { kind, ref, quote }: Citation): readonly PassageLine[] {
  switch (kind) {
    case "decision":
      return cited(decisions.find(({ seq }) => String(seq) === ref)?.summary);
    case "probe": {
      const check = arm.probe?.checks.find(({ id }) => id === ref);
      return cited(check && [check.status, check.reason].filter(Boolean).join(": "));
    }
    case "answer":
      return cited(arm.final_answer?.split(/\n{2,}/).find((part) => part.includes(quote)) ?? undefined);
    case "diff":
      return diffPassage(arm.changes?.patch ?? "", ref, quote);
  }
}

const cited = (text: string | undefined): readonly PassageLine[] =>
  text === undefined || text === "" ? [] : [{ text: short(text), isCited: true }];

const short = (text: string) => (text.length > LINE_CHARS ? `${text.slice(0, LINE_CHARS)} …` : text);

/** `ref` is a path, perhaps with the number of a line in its new version; without one the quote says where. */
function diffPassage(patch: string, ref: string, quote: string): readonly PassageLine[] {
  const [, path = ref, number] = /^(.+?)(?::(\d+))?$/.exec(ref) ?? [];
  const lines = linesOfFile(patch, path);
  const said = quote.replace(/^[+\- ]/, "");
  const at = lines.findIndex(({ text, after }) =>
    number === undefined ? text.includes(said) : after === Number(number),
  );
  if (at === -1) return [];
  return lines
    .slice(Math.max(0, at - AROUND), at + AROUND + 1)
    .map((line) => ({ text: short(line.text), isCited: line === lines[at] }));
}

interface NumberedLine {
  readonly text: string;
  /** In the new version; null for a removed line. */
  readonly after: number | null;
}

function linesOfFile(patch: string, path: string): readonly NumberedLine[] {
  const own = patch.split(/^diff --git /m).find((part) => part.includes(`\n+++ b/${path}\n`)) ?? "";
  const [, ...hunks] = own.split(/^(?=@@ )/m);
  return hunks.flatMap(linesOfHunk);
}

function linesOfHunk(hunk: string): readonly NumberedLine[] {
  const [head = "", ...lines] = hunk.split("\n");
  let next = Number(/^@@ -\S+ \+(\d+)/.exec(head)?.[1]);
  return lines
    .filter((text) => /^[+\- ]/.test(text))
    .map((text) => ({ text, after: text.startsWith("-") ? null : next++ }));
}
