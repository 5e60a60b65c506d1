import type { Suspicion, Verdict } from "./verdict.ts";

const FOUND: Readonly<Record<Suspicion["found_by"], string>> = {
  scan: "may speak to the judge",
  judge: "suspected by the judge",
  second_hearing: "no longer named when words were withheld",
};

/** Suspicions told in a summary; the verdict has all. */
const TOLD = 4;

/** Whose words are suspected, where, and by whom: a line each, the first few. The quote is an arm's own text. */
export function suspicionLines({ suspicions = [] }: Pick<Verdict, "suspicions">): string[] {
  const lines = suspicions.slice(0, TOLD).map(({ arm_id, where, quote, found_by }) => {
    const words = [where, quote === null ? null : JSON.stringify(quote)].filter((part) => part !== null).join(" ");
    return `${arm_id}: ${FOUND[found_by]}${words === "" ? "" : `: ${words}`}`;
  });
  const more = suspicions.length - lines.length;
  return more > 0 ? [...lines, `and ${more} more`] : lines;
}
