import type { Decision } from "../../../domain/decision.ts";
import type { Price } from "../../../domain/price-list.ts";
import { costOf } from "../../../domain/usage.ts";
import type { Side } from "../../../domain/verdict.ts";
import { failureOf } from "../evidence/failed-step.ts";

/** How far an arm was when it had spent so much. */
export interface Point {
  readonly spent: number;
  /** Tool calls that worked. */
  readonly done: number;
}

export const SPEND_UNITS = ["tokens", "cost", "seconds"] as const;
export type SpendUnit = (typeof SPEND_UNITS)[number];

/** The course of an arm from 0, one point for each step that spent or did something; null when what it spent is not known. */
export function spendOverTime(log: readonly Decision[], unit: SpendUnit, price: Price | null): readonly Point[] | null {
  const points: Point[] = [{ spent: 0, done: 0 }];
  const first = log.find(({ at }) => at !== undefined);
  const start = first?.at === undefined ? null : Date.parse(first.at) - first.latency_ms;
  let [spent, done] = [0, 0];
  for (const decision of log) {
    const now = unit === "seconds" ? secondsAt(decision, start) : add(spent, spentIn(decision, unit, price));
    if (now === null) return null;
    if (decision.kind === "tool_call" && failureOf(decision) === null) done += 1;
    else if (now === spent) continue;
    spent = Math.max(spent, now);
    points.push({ spent, done });
  }
  return points;
}

const secondsAt = ({ at }: Decision, start: number | null) =>
  at === undefined || start === null ? null : (Date.parse(at) - start) / 1_000;

const add = (one: number, other: number | null) => (other === null ? null : one + other);

function spentIn(decision: Decision, unit: "tokens" | "cost", price: Price | null): number | null {
  if (decision.kind !== "model_turn") return 0;
  const { tokens_in, tokens_out, detail } = decision;
  if (detail?.usage_unknown) return null;
  return unit === "tokens" ? tokens_in + tokens_out : costOf(price, { ...detail, tokens_in, tokens_out });
}

/** What an arm had done when it had spent so much. */
export const doneAt = (course: readonly Point[], spent: number): number =>
  course.findLast((point) => point.spent <= spent)?.done ?? 0;

/** What both arms did, in order. */
export type Logs = Readonly<Record<Side, readonly Decision[]>>;
