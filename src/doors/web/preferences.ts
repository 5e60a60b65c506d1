import { effect, type Signal, signal } from "@preact/signals";
import type { Side } from "../../domain/verdict.ts";

const THEMES = ["auto", "light", "dark"] as const;

export const theme = remembered<(typeof THEMES)[number]>("theme", "auto");

export function nextTheme(): void {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? "auto";
}

/** While true, names and verdicts are hidden until the reader has voted. */
export const blind = remembered("blind", false);

/** Tells the server's search that the reader is blind: results are then not searched. */
export const blindSearch = (): "yes" | undefined => (blind.value ? "yes" : undefined);

/** Readers who dictate to their browser switch single-key shortcuts off. */
export const shortcutsOn = remembered("shortcuts", true);

/** A vote of this reader; the server has it with its reason. */
interface CastVote {
  readonly choice: Side | "tie";
  readonly blind: boolean;
}

/** By verdict id. */
const castVotes = remembered<Readonly<Record<string, CastVote>>>("cast", {});

export const voteOn = (verdict_id: string): CastVote | null =>
  Object.hasOwn(castVotes.value, verdict_id) ? (castVotes.value[verdict_id] ?? null) : null;

export function rememberVote(verdict_id: string, vote: CastVote): void {
  castVotes.value = { ...castVotes.value, [verdict_id]: vote };
}

/** The name under which this reader votes. */
export const voter = remembered("voter", "");

/** Verdicts that are remembered as seen, the newest first. */
const MOST_SEEN = 1_000;

const seenVerdicts = remembered<Readonly<{ ids: readonly string[] }>>("seen-verdicts", { ids: [] });

/** Whether this browser has shown the verdict: a vote on it is blind no more. */
export const hasSeen = (verdict_id: string): boolean => seenVerdicts.value.ids.includes(verdict_id);

export function rememberSeen(verdict_id: string): void {
  const { ids } = seenVerdicts.peek();
  if (!ids.includes(verdict_id)) seenVerdicts.value = { ids: [verdict_id, ...ids].slice(0, MOST_SEEN) };
}

/** A judging that was asked for, and gave no answer yet. */
export interface AskedJudging {
  /** How many verdicts the pair had then. */
  readonly verdicts: number;
  /** Milliseconds, by this browser's clock. */
  readonly asked_at: number;
  /** Empty for the usual judge. */
  readonly judge_model: string;
}

/** By pair of arms. */
export const askedJudgings = remembered<Readonly<Record<string, AskedJudging>>>("judgings", {});

/** Both versions of a file beside each other, where the window is wide enough. */
export const besideWanted = remembered("beside", true);

const wide = globalThis.matchMedia?.("(min-width: 64rem)");

/** Whether two texts fit beside each other. */
export const wideWindow = signal(wide?.matches ?? true);
wide?.addEventListener("change", ({ matches }) => (wideWindow.value = matches));

/** Files that the reader is done with, by what they are compared with. */
export const seenFiles = remembered<Readonly<Record<string, readonly string[]>>>("seen", {});

/** A signal that this browser keeps under a name. Where it keeps nothing, the value lasts as long as the page. */
function remembered<T>(name: string, initial: T): Signal<T> {
  const key = `abeval.${name}`;
  const value = signal(read(key, initial));
  effect(() => write(key, value.value));
  return value;
}

function read<T>(key: string, initial: T): T {
  try {
    const parsed: unknown = JSON.parse(localStorage.getItem(key) ?? "null");
    return typeof parsed === typeof initial && parsed !== null ? (parsed as T) : initial; // only we write these keys
  } catch {
    return initial;
  }
}

function write(key: string, value: unknown): void {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // A private window or a full disk: the page works without.
  }
}
