import type { TObject, TSchema } from "@sinclair/typebox";
import type { FailureCode } from "../domain/failure.ts";

/** Seconds a connection may be silent. Answers that take long lift it; a stalled body must not stay for ever. */
export const IDLE_TIMEOUT_S = 30;

/** A request that found its endpoint. */
export interface Call {
  readonly request: Request;
  /** From the path, decoded once; anything at all may stand in them. */
  readonly params: Readonly<Record<string, string>>;
  /**
   * For how many seconds the connection may be silent from now on; 0: for ever. Not lifted before the body is read, which
   * may stall; set again before the answer, after which it can no longer be.
   */
  readonly idleTimeout: (seconds: number) => void;
}

export const TAGS = {
  environment: "Is the service alive, and can runs work here.",
  scenarios: "What can be run.",
  sessions: "What has run, or is running.",
  runs: "Run a scenario and watch it.",
  verdicts: "Judge stored arms again.",
  schema: "This document.",
  extension: "Additions to the eleven endpoints of the interface.",
} as const;
export type Tag = keyof typeof TAGS;

export interface Success {
  readonly status: 200 | 202;
  readonly description: string;
  /** Absent: text of `media_type`. */
  readonly schema?: TSchema;
  /** Absent: application/json. */
  readonly media_type?: string;
  readonly example: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface PathParameter {
  readonly name: string;
  readonly description: string;
  readonly example: string;
}

/** A route: what it takes, what it answers, and the words and examples that the document says about it. */
export interface Endpoint {
  readonly method: "GET" | "POST" | "DELETE";
  /** As the router writes it: `/api/sessions/:id`. */
  readonly path: string;
  /** Unique; the name of the call in a generated client. */
  readonly id: string;
  readonly tag: Tag;
  readonly title: string;
  readonly summary: string;
  readonly parameter?: PathParameter;
  readonly query?: TObject;
  readonly body?: { readonly schema: TObject; readonly examples: Readonly<Record<string, unknown>> };
  readonly success: Success;
  /** Codes of its own; those that any request may get are added in the document. */
  readonly errors: readonly FailureCode[];
  /** @throws Failure */
  readonly answer: (call: Call) => Response | Promise<Response>;
}

/** Work during which the connection may be silent for as long as that takes. */
export async function patiently<T>({ idleTimeout }: Pick<Call, "idleTimeout">, work: () => Promise<T>): Promise<T> {
  idleTimeout(0);
  try {
    return await work();
  } finally {
    idleTimeout(IDLE_TIMEOUT_S);
  }
}
