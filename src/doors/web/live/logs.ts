import type { Decision } from "../../../domain/decision.ts";
import type { Side } from "../../../domain/verdict.ts";

/** What both arms did, in order. */
export type Logs = Readonly<Record<Side, readonly Decision[]>>;
