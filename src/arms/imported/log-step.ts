import { asRecords, asText } from "../../domain/lenient.ts";
import type { LogForm } from "../../domain/ran.ts";
import type { Usage } from "../../domain/usage.ts";

export interface LoggedCall {
  /** What its result names; null where the log has none. */
  readonly id: string | null;
  readonly name: string;
  readonly input: unknown;
}

/** What a model said. Later lines of a log may add to it. */
export interface LoggedTurn {
  readonly kind: "turn";
  text: string;
  readonly calls: LoggedCall[];
  usage: Usage | null;
  cost_usd: number | null;
  stop_reason: string | null;
  readonly at: string | null;
  /** It is a helper's, not the main conversation's. */
  readonly side: boolean;
}

/** What came of a call. */
export interface LoggedResult {
  readonly kind: "result";
  readonly call_id: string | null;
  readonly output: string;
  readonly is_error: boolean | null;
  /** Null where the log tells it only in the output, or not at all. */
  readonly exit_code: number | null;
  readonly at: string | null;
}

export type LogStep = LoggedTurn | LoggedResult;

/** What a form finds in a log, filled while it is read. */
export interface LogContents {
  agent: string | null;
  version: string | null;
  model: string | null;
  /** The directory in which the agent worked. */
  directory: string | null;
  /** The usage of the whole run, where the log says it. */
  cost_usd: number | null;
  readonly steps: LogStep[];
}

/** Reads the lines, or the one document, of a log. */
export interface LogReader {
  readonly form: LogForm;
  /** A line of the log that is an object; unknown kinds are left out. */
  read(line: Readonly<Record<string, unknown>>): void;
}

export const emptyLog = (): LogContents => ({
  ...{ agent: null, version: null, model: null, directory: null, cost_usd: null },
  steps: [],
});

/** A text, or the texts among the parts of a message. */
export const textOfParts = (value: unknown): string =>
  typeof value === "string"
    ? value
    : asRecords(value)
        .flatMap((part) => asText(part["text"]) ?? [])
        .join("\n");

/** A moment as sessions write it; null for what is none. */
export function timeIn(value: unknown): string | null {
  if (typeof value !== "string" || value.length > TIME_CHARS) return null;
  const ms = Date.parse(value);
  return Number.isFinite(ms) && ms >= 0 && ms < YEAR_10000 ? new Date(ms).toISOString() : null;
}

const TIME_CHARS = 40;
const YEAR_10000 = 253_402_300_800_000;
