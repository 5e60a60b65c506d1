import type { Arm, ScriptTurn } from "../../../domain/arm.ts";
import { isScripted } from "../../../domain/model-name.ts";
import type { ScriptChoice } from "../../../domain/session-settings.ts";
import { sha256 } from "../../../domain/sha256.ts";

/** What decides which of its scripts an arm replays. Equal draws give equal choices on every machine. */
export interface Draw {
  readonly seed: string;
  /** From 1. */
  readonly trial: number;
}

/** The index of the script that the arm replays; undefined when it has none to choose from, or a model that needs none. */
export function chooseScript({ id, model, scripts }: Arm, { seed, trial }: Draw): number | undefined {
  if (scripts === undefined || !isScripted(model)) return undefined;
  const total = scripts.reduce((sum, { weight }) => sum + weight, 0);
  let left = shareOf(`${seed}:${trial}:${id}`) * total;
  for (const [index, { weight }] of scripts.entries()) {
    left -= weight;
    if (left < 0) return index;
  }
  // Only rounding leads here.
  return scripts.length - 1;
}

/** The turns that a scripted arm replays in this trial; null when it has no script. */
export function scriptFor(arm: Arm, draw: Draw): readonly ScriptTurn[] | null {
  const chosen = chooseScript(arm, draw);
  return chosen === undefined ? arm.script : (arm.scripts?.[chosen]?.turns ?? null);
}

/** What was chosen, by arm id; undefined when no arm had a choice. */
export function scriptChoices(arms: readonly Arm[], draw: Draw): Readonly<Record<string, ScriptChoice>> | undefined {
  const choices = arms.flatMap((arm) => {
    const chosen = chooseScript(arm, draw);
    return chosen === undefined ? [] : [[arm.id, { ...draw, chosen }] as const];
  });
  return choices.length === 0 ? undefined : Object.fromEntries(choices);
}

/** A number from 0 to just below 1, evenly spread over all texts. */
const shareOf = (text: string): number => Number.parseInt(sha256(text).slice(0, SHARE_DIGITS), 16) / 16 ** SHARE_DIGITS;

/** Hexadecimal digits that a number holds exactly. */
const SHARE_DIGITS = 13;
