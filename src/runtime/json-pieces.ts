const STEP_CHARS = 64 * 1024;

const HIGH_SURROGATE = /[\ud800-\udbff]/;

/** The text as JSON, in pieces that each take a moment. No pair of surrogates is split. */
export function* jsonPieces(text: string): Generator<string> {
  yield '"';
  for (let from = 0; from < text.length; ) {
    const isHalf = HIGH_SURROGATE.test(text.charAt(from + STEP_CHARS - 1));
    const end = from + STEP_CHARS + (isHalf ? 1 : 0);
    yield JSON.stringify(text.slice(from, end)).slice(1, -1);
    from = end;
  }
  yield '"';
}
