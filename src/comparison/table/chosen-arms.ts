import { type ContestPlan, contestPairs, MAX_TABLE_ARMS } from "../../domain/contest-plan.ts";
import { didYouMean } from "../../domain/did-you-mean.ts";
import { cut } from "../../domain/excerpt.ts";
import type { ImportedResults } from "../../domain/results.ts";
import { controlAmong } from "../../domain/series-result.ts";
import { TableFault } from "./table-rows.ts";

/** Names of arms that a message lists. */
export const LISTED_ARMS = 50;

/** How more than two arms of a table are compared. */
export interface ContestChoice {
  /** Each with each, to find the best. Absent: each with the control. */
  readonly best?: boolean | undefined;
  /** The arm that the others are compared with. Absent: by its name, else the first; for the best none. */
  readonly control?: string | undefined;
  /** It is also told what holds where a share of all claims may be false. */
  readonly fdr?: boolean | undefined;
  /** A column that must group the scenarios. */
  readonly by?: string | undefined;
}

/** Names that a comma may stand between. */
export function pairsIn(arms: string): readonly (readonly [string, string])[] {
  const commas = [...arms.matchAll(/,/g)].map(({ index }) => index);
  const one = arms.trim();
  if (commas.length === 0) throw new TableFault(`two arms are compared: --arms <a>,<b>, not "${cut(one)}"`, 1);
  const pairs = commas.map((index) => [arms.slice(0, index).trim(), arms.slice(index + 1).trim()] as const);
  const distinct = pairs.filter(([a, b]) => a !== b);
  if (distinct.length === 0) throw new TableFault(`"${cut(pairs[0]?.[0] ?? "")}" cannot be compared with itself`, 1);
  return distinct;
}

/** Every name that the commas of a list may leave. */
export function namesInList(arms: string): readonly string[] {
  const parts = arms.split(",").slice(0, LISTED_ARMS);
  return parts.flatMap((_, from) =>
    parts.slice(from).map((__, more) =>
      parts
        .slice(from, from + more + 1)
        .join(",")
        .trim(),
    ),
  );
}

/** The names in a list of three or more, of which each may hold a comma. @throws TableFault */
export function severalIn(
  text: string,
  isKnown: (name: string) => boolean,
  arms: readonly string[],
): readonly string[] {
  const parts = text.split(",");
  const named: string[] = [];
  for (let from = 0; from < parts.length; ) {
    const names = parts.slice(from).map((_, more) =>
      parts
        .slice(from, from + more + 1)
        .join(",")
        .trim(),
    );
    const more = names.findIndex(isKnown);
    if (more < 0) throw stranger(names, arms);
    const name = names[more] ?? "";
    if (named.includes(name)) throw new TableFault(`the arm "${cut(name)}" is named twice; name each once`, 1);
    named.push(name);
    from += more + 1;
  }
  if (named.length <= MAX_TABLE_ARMS) return named;
  throw new TableFault(`${named.length} arms are named, and at most ${MAX_TABLE_ARMS} are compared`, 1);
}

/** Of the ways to read a name, one that is nearly an arm. */
function stranger(names: readonly string[], arms: readonly string[]): TableFault {
  const name = names.find((one) => didYouMean(one, arms) !== "") ?? names[0] ?? "";
  return new TableFault(`no row has the arm "${cut(name)}"${didYouMean(name, arms) || `; ${listed(arms)}`}`, 1);
}

/** Undefined for two arms. @throws TableFault */
export function contestAmong(arms: readonly string[], choice: ContestChoice): ContestPlan | undefined {
  const { best = false, control, fdr = false } = choice;
  if (arms.length === 2) return demandNone(choice);
  if (choice.by !== undefined) throw new TableFault("--by groups the scenarios of two arms; leave it out", 1);
  if (control !== undefined && !arms.includes(control))
    throw new TableFault(
      `--control: no arm is "${cut(control)}"${didYouMean(control, arms) || `; ${listed(arms)}`}`,
      1,
    );
  const named = (best ? control : controlAmong(arms, control)) ?? null;
  const compared = { mode: best ? ("best" as const) : ("against" as const), control: named };
  const pairs = contestPairs(arms, compared).map((pair) => ({ arms: [...pair] }));
  return { arms: [...arms], ...compared, ...(fdr && { fdr }), pairs };
}

/** @throws TableFault for what goes with more arms */
function demandNone({ best, control, fdr }: ContestChoice): undefined {
  const given = { best, fdr, control: control !== undefined };
  const stray = Object.entries(given).find(([, is]) => is)?.[0];
  if (stray !== undefined)
    throw new TableFault(`--${stray} is for three arms or more, and two are compared; leave it out`, 1);
}

/** @throws TableFault where no two arms that are compared ran the same trial */
export function demandPairs(
  pairs: readonly (readonly string[])[],
  arms: readonly string[],
  scenarios: readonly Pick<ImportedResults["scenarios"][number], "trials" | "others">[],
): void {
  const places = pairs.map((pair) => pair.map((arm) => arms.indexOf(arm)));
  const isTold = places.some((pair) =>
    scenarios.some(({ trials, others = [] }) =>
      trials.some(([, ...two], index) => {
        const told = [...two, ...(others[index] ?? [])];
        return pair.every((place) => told[place] !== null);
      }),
    ),
  );
  if (isTold) return;
  const [a = "", b = ""] = arms;
  if (arms.length === 2) throw new TableFault(`no scenario and trial has a result of both ${cut(a)} and ${cut(b)}`, 1);
  throw new TableFault("no scenario and trial has results of two arms that are compared", 1);
}

/** The arms of a table, for a message. */
export function listed(arms: readonly string[]): string {
  const more = arms.length > LISTED_ARMS ? ", and more" : "";
  return `the arms are ${arms
    .slice(0, LISTED_ARMS)
    .map((arm) => cut(arm))
    .join(", ")}${more}`;
}
