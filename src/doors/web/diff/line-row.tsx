import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { useCitedTarget } from "../evidence/cited.ts";
import { count, countOf } from "../format.ts";
import { changedWords, type MarkedToken, markChanged } from "./changed-words.ts";
import { type ColouredText, colouredLine } from "./coloured-lines.ts";
import type { DiffLine } from "./file-change.ts";
import type { Hidden, LinePair } from "./pairs.ts";
import type { Colours } from "./use-colours.ts";

interface LineRowProps {
  readonly line: DiffLine;
  /** Its other version. */
  readonly mate: DiffLine | undefined;
  readonly colours: Colours;
  readonly isCited: boolean;
}

const SIGNS = { same: " ", added: "+", removed: "−", gap: "" };

/** A line with both its numbers. */
export function LineRow({ line, mate, colours, isCited }: LineRowProps) {
  const target = useCitedTarget<HTMLDivElement>(isCited);
  const { kind, before, after } = line;
  return (
    <div class={`line line-${kind}`} ref={target} tabIndex={isCited ? -1 : undefined} data-cited={isCited || undefined}>
      <span class="line-number">{before}</span>
      <span class="line-number">{after}</span>
      <span class="line-sign">{SIGNS[kind]}</span>
      <LineText line={line} mate={mate} colours={colours} />
    </div>
  );
}

interface PairRowProps {
  readonly pair: LinePair;
  readonly colours: Colours;
  readonly isCited: boolean;
}

/** Both versions of a line beside each other. */
export function PairRow({ pair: { left, right }, colours, isCited }: PairRowProps) {
  const target = useCitedTarget<HTMLDivElement>(isCited);
  return (
    <div class="pair" ref={target} tabIndex={isCited ? -1 : undefined} data-cited={isCited || undefined}>
      <Half line={left} number={left?.before ?? null} mate={right} colours={colours} />
      <Half line={right} number={right?.after ?? null} mate={left} colours={colours} />
    </div>
  );
}

interface HalfProps {
  readonly line: DiffLine | null;
  readonly number: number | null;
  readonly mate: DiffLine | null;
  readonly colours: Colours;
}

function Half({ line, number, mate, colours }: HalfProps) {
  if (line === null) return <div class="half half-none" />;
  return (
    <div class={`half line-${line.kind}`}>
      <span class="line-number">{number}</span>
      <span class="line-sign">{SIGNS[line.kind]}</span>
      <LineText line={line} mate={mate === line ? undefined : (mate ?? undefined)} colours={colours} />
    </div>
  );
}

/** Characters of a line that are shown at first. A longer one was made by a program, and a browser lays it out for seconds. */
const SHOWN_CHARS = 2_000;

/** Characters shown each time that a reader asks for more. */
const MORE_CHARS = 20_000;

function LineText({ line, mate, colours }: Omit<LineRowProps, "isCited">) {
  const tokens = useMemo(() => markedTokens(line, mate, colours), [line, mate, colours]);
  return line.text.length > SHOWN_CHARS ? <LongText text={line.text} /> : <Tokens tokens={tokens} />;
}

/** The beginning of a long line, and how much of it is not shown. */
function LongText({ text }: { text: string }) {
  const shown = useSignal(SHOWN_CHARS);
  const left = text.length - shown.value;
  return (
    <span class="line-text">
      <ShownText text={text.slice(0, shown.value)} />
      {left > 0 && (
        <button type="button" class="unfold line-more" onClick={() => (shown.value += MORE_CHARS)}>
          … show {left > MORE_CHARS ? `${count(MORE_CHARS)} of ` : ""}
          {count(left)} more<span class="hidden-text"> characters of this line</span>
        </button>
      )}
    </span>
  );
}

function Tokens({ tokens }: { tokens: readonly MarkedToken[] }) {
  return (
    <span class="line-text">
      {tokens.map(({ text, class: colour, changed }, index) =>
        colour === "" && !changed ? (
          <ShownText key={index} text={text} />
        ) : (
          <span key={index} class={changed ? `${colour} word-changed` : colour}>
            <ShownText text={text} />
          </span>
        ),
      )}
    </span>
  );
}

function markedTokens(line: DiffLine, mate: DiffLine | undefined, colours: Colours): readonly MarkedToken[] {
  if (line.text.length > SHOWN_CHARS) return [];
  const tokens = tokensOf(line, colours);
  if (!mate) return markChanged(tokens, []);
  const isBefore = line.kind === "removed";
  const words = isBefore ? changedWords(line.text, mate.text) : changedWords(mate.text, line.text);
  return markChanged(tokens, (isBefore ? words?.before : words?.after) ?? []);
}

/** The colours of a line; none when the coloured text is not exactly this line. */
function tokensOf({ before, after, text }: DiffLine, colours: Colours): readonly ColouredText[] {
  const [coloured, number] = after === null ? [colours.before, before] : [colours.after, after];
  return (coloured && number !== null && colouredLine(coloured, number, text)) || [{ text, class: "" }];
}

/** Unchanged lines that are left out. A click shows them. */
export function HiddenRow({ hidden, unfold }: { hidden: Hidden; unfold: (after: number) => void }) {
  const { count, after, before } = hidden;
  if (count === 0) return <div class="line line-gap">line {after || before}</div>;
  return (
    <div class="line line-gap">
      <button type="button" class="unfold" onClick={() => unfold(after)}>
        Show {countOf(count, "unchanged line")} from line {after}
      </button>
    </div>
  );
}

/** Characters that turn the direction of text: with them code reads otherwise than it runs. */
const TURNING = /([\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069])/;

/** Text of which a reader sees every character that would reorder it, by its number. */
export function ShownText({ text }: { text: string }) {
  if (!TURNING.test(text)) return text;
  return (
    <>
      {text.split(TURNING).map((part, index) =>
        index % 2 === 0 ? (
          part
        ) : (
          <mark key={index} class="turning" title="It would reorder the text that follows">
            {numberOf(part)}
          </mark>
        ),
      )}
    </>
  );
}

const numberOf = (character: string) => `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
