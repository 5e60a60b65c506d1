/** Something that a judge can cite. `lines` are the line numbers of a hunk, before and after the change. */
export interface CitableItem {
  readonly kind: "decision" | "diff" | "probe" | "answer";
  /** Decision seq, path, probe check id, or `final`. */
  readonly ref: string;
  readonly lines?: { readonly before: LineRange; readonly after: LineRange };
}

export type LineRange = readonly [first: number, last: number];

export interface ViewLine {
  readonly text: string;
  /** Written by the arm or printed by its programs; false for our words and the fixture's. */
  readonly authored: boolean;
  /** What a quote of this line cites; null when it cannot be cited. */
  readonly item: CitableItem | null;
}

export interface Section {
  readonly name: "diff" | "digest" | "probe" | "answer" | "notes";
  readonly title: string;
  readonly lines: readonly ViewLine[];
  /** What was left out, in our own words. */
  readonly omissions: readonly string[];
  /** Part of the answer itself was left out. */
  readonly core_cut: boolean;
}

/** A shown line has a mark of five characters, a space and a newline around it. */
const AROUND_BYTES = 7;

/** UTF-8 bytes of a line as the judge is shown it. */
export const lineBytes = (text: string) => Buffer.byteLength(text) + AROUND_BYTES;

export const linesBytes = (lines: readonly ViewLine[]) => lines.reduce((sum, { text }) => sum + lineBytes(text), 0);
