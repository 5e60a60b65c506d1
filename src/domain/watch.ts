import type { SeriesState } from "./series-record.ts";

/** What an arm is held to: the share of tasks that it solves, and how far it is ahead of the other arm's stored runs. */
export const DETECTORS = ["solved", "difference"] as const;
export type DetectorName = (typeof DETECTORS)[number];

/** False alarms: one in about so many quiet nights. */
export const ONE_IN = 1_000;

/** What is not as it was in the reference, as far as stored runs know it. */
export type WatchChange =
  | {
      readonly what: "model_served" | "judge_served";
      readonly from: readonly string[];
      readonly to: readonly string[];
    }
  | { readonly what: "cannot_tell" };

/** A night of a watch, as `abeval watch` prints it. */
export interface WatchReport {
  readonly reference: string;
  /** Id of the arm that ran tonight. */
  readonly arm: string;
  /** The night's own series; its trials are there. */
  readonly series_id: string;
  /** Of the night's series. A night that was not completed does not count. */
  readonly state: SeriesState;
  /** Its number, from 1. */
  readonly night: number;
  /** Nights that count, tonight among them. */
  readonly nights: number;
  readonly alarm: boolean;
  /** An alarm needs `one_in`. */
  readonly evidence: number;
  readonly one_in: number;
  /** The night from which on the evidence is counted. */
  readonly since: number;
  /** What counts for itself: scenarios, rows, or clusters of them. */
  readonly tasks: number;
  /** Of tonight, and those that gave nothing: they count as won. */
  readonly trials: number;
  readonly missing: number;
  /** From 0 to 1; a difference d as (1 + d) / 2. */
  readonly detectors: readonly {
    readonly by: DetectorName;
    readonly reference: number;
    /** Lower end of the reference's range. */
    readonly low: number;
    /** Null where the night does not count. */
    readonly tonight: number | null;
    /** Its part of the evidence. */
    readonly evidence: number;
  }[];
  /** Empty without an alarm. */
  readonly changed: readonly WatchChange[];
  readonly statement: string;
}
