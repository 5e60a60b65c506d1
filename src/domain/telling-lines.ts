/** How test programs begin the line that says what went wrong. */
const TELLING =
  /^\W*(?:error|fail(?:ed|ure)?|not ok|assert\w*|expected|panic\w*|traceback|exception|\w+(?:Error|Exception))\b/i;

/** Lines enough to see what was expected and what came. */
const LINES = 8;

/** A line that is longer has its end cut. */
const CHARS = 200;

/** How a difference between what was expected and what came is printed. */
const DIFFERING = /^\s*[-+] /;

/** Says how to read the difference, or how long it is. */
const LEGEND = /^\s*[-+] (?:Expected|Received)\b/;

/** What a failed check printed from where it says what went wrong, without what is equal; else its first lines. */
export function failureLines(output: string): readonly string[] {
  const lines = output.split("\n").filter((line) => line.trim() !== "");
  const start = Math.max(
    0,
    lines.findIndex((line) => TELLING.test(line)),
  );
  const rest = lines.slice(start + 1);
  const differing = rest.filter((line) => DIFFERING.test(line) && !LEGEND.test(line));
  return [...lines.slice(start, start + 1), ...(differing.length > 0 ? differing : rest)].slice(0, LINES).map(cut);
}

const cut = (line: string) => (line.length > CHARS ? `${line.slice(0, CHARS)} …` : line);
