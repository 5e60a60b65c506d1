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
