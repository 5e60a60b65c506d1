/**
 * Some words in a row, as a number below 2^48: so a text can be known again, whole or in part, without being kept. Letter case,
 * signs, line breaks and JSON's escapes do not count.
 */
export type WordRun = number;

/** A word of a text, and where it stands. */
export interface PlacedWord {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Words of a run where a text is long enough. Fewer are found in too much. */
const RUN_WORDS = 5;

/** Letters and digits of a line of two to four words that is known as a whole. */
const LINE_CHARS = 12;

/** A backslash and what it stands for, or a word. */
const WORD = /\\+(?:u[0-9a-f]{4}|[nrtbf"/])?|[\p{L}\p{N}]+/giu;

export function* wordsIn(text: string): Generator<PlacedWord> {
  for (const { 0: found, index } of text.matchAll(WORD))
    if (!found.startsWith("\\")) yield { start: index, end: index + found.length, text: found };
}

/** What a text is known by. Each line is given with its newline taken off; the runs go on over lines. */
export class RunReader {
  readonly #last: Hash[] = [];

  *line(line: string): Generator<WordRun> {
    const words = [...wordsIn(line)];
    const hashes = words.map(({ text }) => hashOf(text));
    for (const hash of hashes) {
      this.#last.push(hash);
      if (this.#last.length > RUN_WORDS) this.#last.shift();
      if (this.#last.length === RUN_WORDS) yield runOf(this.#last);
    }
    const letters = words.reduce((sum, { text }) => sum + text.length, 0);
    if (words.length > 1 && words.length < RUN_WORDS && letters >= LINE_CHARS) yield runOf(hashes);
    for (const [name] of line.matchAll(NAME)) {
      const parts = [...wordsIn(name)].map(({ text }) => hashOf(text));
      if (parts.length <= RUN_WORDS && isTelling(name)) yield runOf(parts);
    }
  }
}

/** Tells of each run of up to five words in a text that is one of `known`: its first word, and how many there are. */
export function eachKnownRun(
  words: readonly PlacedWord[],
  known: ReadonlySet<WordRun>,
  told: (first: number, count: number, run: WordRun) => void,
): void {
  const hashes = words.map(({ text }) => hashOf(text));
  for (let first = 0; first < hashes.length; first += 1) {
    let so_far = EMPTY;
    for (let count = 1; count <= RUN_WORDS && first + count <= hashes.length; count += 1) {
      so_far = longer(so_far, hashes[first + count - 1] ?? EMPTY);
      const run = numberOf(so_far);
      if (known.has(run)) told(first, count, run);
    }
  }
}

const NAME = /[\p{L}\p{N}]+(?:[-_][\p{L}\p{N}]+)*/gu;

/** A name that nobody writes by chance: long with a digit in it, letters and digits in turn, or very long with parts. */
const isTelling = (name: string): boolean => {
  const turns = name.match(/\p{L}(?=[-_]?\p{N})|\p{N}(?=[-_]?\p{L})/gu)?.length ?? 0;
  return (
    (name.length >= 10 && turns > 0) || (name.length >= 8 && turns >= 3) || (name.length >= 18 && /[-_]/.test(name))
  );
};

/** 24 bits twice. */
type Hash = readonly [high: number, low: number];

const BITS = 0xff_ff_ff;

/** FNV-1a from two beginnings, over the small letters. */
function hashOf(word: string): Hash {
  let [high, low] = [0x81_1c_9d_c5, 0x01_00_01_93];
  const small = word.toLowerCase();
  for (let at = 0; at < small.length; at += 1) {
    const code = small.charCodeAt(at);
    high = Math.imul(high ^ code, 0x01_00_01_93);
    low = Math.imul(low ^ code, 0x85_eb_ca_6b);
  }
  return [mixed(high), mixed(low)];
}

const EMPTY: Hash = [0, 0];

const longer = ([high, low]: Hash, [one, other]: Hash): Hash => [
  mixed(Math.imul(high, 31) ^ one),
  mixed(Math.imul(low, 37) ^ other),
];

const numberOf = ([high, low]: Hash): WordRun => (high & BITS) * (BITS + 1) + (low & BITS);

const runOf = (hashes: readonly Hash[]): WordRun => numberOf(hashes.reduce(longer, EMPTY));

function mixed(hash: number): number {
  const once = Math.imul(hash ^ (hash >>> 15), 0x2c_1b_3c_6d);
  return once ^ (once >>> 13);
}

/** Characters of a run in a text of runs: 48 bits as base64url. */
const RUN_CHARS = 8;

export const runsText = (runs: Iterable<WordRun>): string =>
  Buffer.concat(
    [...runs].map((run) => {
      const bytes = Buffer.alloc(6);
      bytes.writeUIntBE(run, 0, 6);
      return bytes;
    }),
  ).toString("base64url");

/** What `runsText` wrote; of any other text numbers that mean nothing. */
export function* runsFrom(text: string): Generator<WordRun> {
  const bytes = Buffer.from(text.slice(0, text.length - (text.length % RUN_CHARS)), "base64url");
  for (let at = 0; at + 6 <= bytes.length; at += 6) yield bytes.readUIntBE(at, 6);
}
