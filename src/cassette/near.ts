import type { Asked } from "./asked.ts";
import type { Exchange } from "./lines.ts";
import type { Recording } from "./read-tape.ts";

/** What abeval writes where it leaves out the middle of a text, for an arm or for a judge. */
const CUT = /\[\.\.\. \d+ (?:bytes|characters) left out \.\.\.\]|⟨middle left out⟩/;

/**
 * Characters beside a cut that do not count. Where a long text is cut depends on all that stands in it, durations too; each of
 * them moves the cut by a character or two, on a busy machine by three. Of a short piece most counts all the same:
 * it has room for few durations.
 */
const unsureOf = (piece: string) => Math.min(250, Math.floor(piece.length / 8));

/** Whether a request differs from a recorded one in nothing but where texts were cut. */
export function isNear(asked: Asked, { method, path, parts }: Exchange, { texts }: Recording): boolean {
  if (asked.method !== method || asked.path !== path || asked.parts.length !== parts.length) return false;
  return asked.parts.every(([place, hash], index) => {
    const [recordedPlace, recordedHash] = parts[index] ?? ["", ""];
    if (place !== recordedPlace) return false;
    return hash === recordedHash || isCutAlike(asked.texts.get(hash) ?? "", texts.get(recordedHash) ?? "");
  });
}

function isCutAlike(one: string, other: string): boolean {
  const [pieces, others] = [one.split(CUT), other.split(CUT)];
  const last = pieces.length - 1;
  if (last === 0 || pieces.length !== others.length) return false;
  return pieces.every((piece, index) =>
    isPieceAlike(piece, others[index] ?? "", { start: index > 0, end: index < last }),
  );
}

/** @param cut at which ends the piece was cut */
function isPieceAlike(one: string, other: string, cut: { readonly start: boolean; readonly end: boolean }): boolean {
  const unsure = unsureOf(one);
  const core = one.slice(cut.start ? unsure : 0, Math.max(0, one.length - (cut.end ? unsure : 0)));
  const at = cut.start ? other.lastIndexOf(core, 2 * unsure) : 0;
  if (at < 0 || !other.startsWith(core, at)) return false;
  return other.length - at - core.length <= (cut.end ? 2 * unsure : 0);
}
