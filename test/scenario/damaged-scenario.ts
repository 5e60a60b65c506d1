import fc from "fast-check";

/** A scenario file with text cut out and put in at a few places. */
export function damaged(text: string): fc.Arbitrary<string> {
  const bits = [
    "- ",
    "  ",
    "\n",
    ":",
    "{",
    "}",
    "[",
    "]",
    "&a ",
    "*a",
    "!t ",
    '"',
    "'",
    "|",
    "null",
    "-1",
    "1e999",
    "~",
    "\0",
    "é",
    "name",
  ];
  const damage = fc.record({
    at: fc.nat(text.length),
    cut: fc.nat(20),
    insert: fc.oneof(fc.constantFrom(...bits), fc.string({ maxLength: 8 }), fc.constantFrom(...text.split("\n"))),
  });
  return fc
    .array(damage, { minLength: 1, maxLength: 4 })
    .map((damages) =>
      damages.reduce((whole, { at, cut, insert }) => whole.slice(0, at) + insert + whole.slice(at + cut), text),
    );
}
