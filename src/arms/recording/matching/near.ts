import { Pace } from "../../../runtime/pace.ts";
import type { Exchange } from "../lines.ts";
import type { RecordedFile } from "../read-recording.ts";
import { type Asked, hashOf } from "./asked.ts";

/** What abeval writes where it leaves out the middle of a text, for an arm or for a judge. */
const CUT = /\[\.\.\. \d+ (?:bytes|characters) left out \.\.\.\]|⟨middle left out⟩/;

/**
 * Characters beside a cut that do not count. Where a long text is cut depends on all that stands in it, durations too; each of
 * them moves the cut by a character or two, on a busy machine by three. Of a short piece most counts all the same:
 * it has room for few durations.
 */
const unsureOf = (piece: string) => Math.min(250, Math.floor(piece.length / 8));

/** What one request is compared with at most. An agent's conversation grows, so two of its requests seldom have one shape. */
const EXCHANGES = 1_000;
const CHARS = 64 * 1024 * 1024;

type Request = Pick<Asked, "method" | "path" | "parts">;
type Pieces = readonly string[];
interface Effort {
  chars: number;
}

/** Recorded exchanges by what a request has in common with those from which it differs in nothing but where texts were cut. */
export class NearExchanges {
  readonly #recording: RecordedFile;
  readonly #pieces = new Map<string, Pieces>();
  #byShape: Promise<ReadonlyMap<string, readonly Exchange[]>> | undefined;

  constructor(recording: RecordedFile) {
    this.#recording = recording;
  }

  /** The first of those that are left. */
  async find(asked: Asked, isLeft: (exchange: Exchange) => boolean): Promise<Exchange | undefined> {
    const own = new Map([...asked.texts].map(([hash, text]) => [hash, text.split(CUT)]));
    if (!own.values().some(({ length }) => length > 1)) return undefined;
    this.#byShape ??= this.#sorted();
    const alike = (await this.#byShape).get(shapeOf(asked, (hash) => own.get(hash) ?? [])) ?? [];
    const pace = new Pace();
    const effort = { chars: CHARS };
    for (const exchange of alike.filter(isLeft).slice(0, EXCHANGES)) {
      const before = effort.chars;
      const isNear = this.#isNear(asked.parts, exchange, { own, effort });
      await pace.bytes(before - effort.chars + BYTES_OF_PART * exchange.parts.length);
      if (isNear && isLeft(exchange)) return exchange;
      if (effort.chars < 0) return undefined;
    }
    return undefined;
  }

  async #sorted(): Promise<ReadonlyMap<string, readonly Exchange[]>> {
    const { exchanges, texts } = this.#recording;
    const pace = new Pace();
    for (const [hash, text] of texts) {
      await pace.bytes(text.length);
      const pieces = text.split(CUT);
      if (pieces.length > 1) this.#pieces.set(hash, pieces);
    }
    const sorted = new Map<string, Exchange[]>();
    for (const exchange of exchanges) {
      await pace.bytes(BYTES_OF_PART * exchange.parts.length);
      const shape = shapeOf(exchange, (hash) => this.#piecesOf(hash));
      const alike = sorted.get(shape);
      if (alike) alike.push(exchange);
      else sorted.set(shape, [exchange]);
    }
    return sorted;
  }

  #piecesOf(hash: string): Pieces {
    return this.#pieces.get(hash) ?? [];
  }

  #isNear(parts: Asked["parts"], recorded: Exchange, { own, effort }: Compared): boolean {
    return parts.every(([, hash], index) => {
      const [, recordedHash] = recorded.parts[index] ?? ["", ""];
      if (hash === recordedHash) return true;
      return areCutAlike(own.get(hash) ?? [], this.#piecesOf(recordedHash), effort);
    });
  }
}

interface Compared {
  readonly own: ReadonlyMap<string, Pieces>;
  readonly effort: Effort;
}

/** Bytes that are compared in the time in which a part of a request is looked up. */
const BYTES_OF_PART = 1_000;

/** Equal for requests that are near: all of one but the texts that were cut. */
function shapeOf({ method, path, parts }: Request, piecesOf: (hash: string) => Pieces): string {
  const told = parts.map(([place, hash]) => {
    const { length } = piecesOf(hash);
    return length > 1 ? `${place} in ${length}` : `${place} ${hash}`;
  });
  return hashOf([`${method} ${path}`, ...told].join("\n"));
}

function areCutAlike(pieces: Pieces, others: Pieces, effort: Effort): boolean {
  const last = pieces.length - 1;
  return pieces.every((piece, index) =>
    isPieceAlike([piece, others[index] ?? ""], { start: index > 0, end: index < last }, effort),
  );
}

/** Characters by which almost every place is seen to be the wrong one. */
const FIRST = 64;

/** @param cut at which ends the piece was cut */
function isPieceAlike(
  [one, other]: readonly [string, string],
  cut: { readonly start: boolean; readonly end: boolean },
  effort: Effort,
): boolean {
  const unsure = unsureOf(one);
  const core = one.slice(cut.start ? unsure : 0, Math.max(0, one.length - (cut.end ? unsure : 0)));
  const first = core.slice(0, FIRST);
  const beside = other.length - core.length;
  const earliest = Math.max(0, beside - (cut.end ? 2 * unsure : 0));
  for (let at = Math.min(beside, cut.start ? 2 * unsure : 0); at >= earliest; at -= 1) {
    effort.chars -= FIRST;
    if (!other.startsWith(first, at)) continue;
    effort.chars -= core.length;
    if (effort.chars < 0) return false;
    if (other.startsWith(core, at)) return true;
  }
  return false;
}
