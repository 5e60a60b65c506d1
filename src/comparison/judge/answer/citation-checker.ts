import type { Citation } from "../../../domain/verdict.ts";
import { cleanLine, cleanText } from "../view/clean-text.ts";
import type { EvidenceView } from "../view/evidence-view.ts";
import type { CitableItem, ViewLine } from "../view/section.ts";
import { type Cited, QUOTE_CHARS } from "./judgement-schema.ts";

export type CheckedCitation = Omit<Citation, "side">;

/** Returns the citation when the view shows that item and the quote stands in it, else undefined. */
export type CheckCitation = (cited: Cited) => CheckedCitation | undefined;

interface Shown {
  readonly item: CitableItem;
  /** The text as shown, and for a diff also without the signs at line starts. White space is one space. */
  readonly texts: readonly string[];
  /** The same, line by line. */
  readonly lines: ReadonlySet<string>;
}

/** A quote with a word can stand anywhere in an item. Less than a word stands in almost every text. */
const WORD = /\p{L}{3}/u;

/** A line of signs alone, such as a closing brace, is no evidence. */
const SAYS_SOMETHING = /[\p{L}\p{N}]/u;

/** Checks citations against what the view shows of one arm. Its full log does not count. */
export function citationChecker(view: EvidenceView, mark: string): CheckCitation {
  let known: ByRef | undefined;
  return ({ kind, ref, quote }) => {
    const wanted = oneSpaced(cleanText(quote).replaceAll(mark, ""));
    if (wanted === "") return undefined;
    // Made at the first citation, so that a waiting call does not hold its evidence twice.
    known ??= shownByRef(view);
    const found = kind === "diff" ? resolveDiff(known, ref, wanted) : resolveItem(known, kind, ref, wanted);
    return found === undefined ? undefined : { kind, ref: found, quote: wanted.slice(0, QUOTE_CHARS).toWellFormed() };
  };
}

const keyOf = (kind: string, ref: string) => `${kind} ${ref}`;

type ByRef = ReadonlyMap<string, readonly Shown[]>;

function shownByRef({ sections }: EvidenceView): ByRef {
  const lines = sections.flatMap((section) => section.lines.filter((line) => line.item !== null));
  const byItem = Map.groupBy(lines, ({ item }) => item);
  const shown = [...byItem].flatMap(([item, group]) => (item ? [{ item, ...foldedTexts(item, group) }] : []));
  return Map.groupBy(shown, ({ item }) => keyOf(item.kind, item.ref));
}

/** The view shows steps as `#7`. `7` and `#7` name the same step. */
function resolveItem(byRef: ByRef, kind: Cited["kind"], ref: string, wanted: string): string | undefined {
  const name = kind === "decision" ? ref.trim().replace(/^#/, "") : ref.trim();
  return holds(byRef.get(keyOf(kind, name)), wanted) ? name : undefined;
}

/** A quote that stands in another hunk of the same path is valid. Its line number is dropped when it does not fit. */
function resolveDiff(byRef: ByRef, ref: string, wanted: string): string | undefined {
  const name = cleanLine(ref);
  if (holds(byRef.get(keyOf("diff", name)), wanted)) return name;
  const [, path, number] = /^(.+):(\d+)(?:-\d+)?$/.exec(name) ?? [];
  if (path === undefined) return undefined;
  const items = byRef.get(keyOf("diff", path));
  if (!holds(items, wanted)) return undefined;
  const line = Number(number);
  return holds(
    items?.filter(({ item }) => spans(item, line)),
    wanted,
  )
    ? `${path}:${line}`
    : path;
}

function spans({ lines }: CitableItem, line: number): boolean {
  return lines !== undefined && [lines.before, lines.after].some(([first, last]) => line >= first && line <= last);
}

/** A valid quote has a word of three letters, or is a whole line. */
function holds(items: readonly Shown[] | undefined, wanted: string): boolean {
  if (WORD.test(wanted)) return items?.some(({ texts }) => texts.some((text) => text.includes(wanted))) ?? false;
  return SAYS_SOMETHING.test(wanted) && (items?.some(({ lines }) => lines.has(wanted)) ?? false);
}

function foldedTexts({ lines: spanned }: CitableItem, shown: readonly ViewLine[]): Pick<Shown, "texts" | "lines"> {
  const asShown = shown.map(({ text }) => text);
  const versions = spanned === undefined ? [asShown] : [asShown, asShown.map((text) => text.slice(1))];
  return {
    texts: versions.map((lines) => oneSpaced(lines.join("\n"))),
    lines: new Set(versions.flat().map(oneSpaced)),
  };
}

const oneSpaced = (text: string) => text.replace(/\s+/g, " ").trim();
