import type { TSchema } from "@sinclair/typebox";
import type { RunEvent } from "../../../domain/event.ts";
import type { FailureCode } from "../../../domain/failure.ts";
import type { Operation } from "../../operation/operation.ts";
import { ERRORS } from "../error.ts";

/** Errors that every request may get. */
const COMMON_ERRORS: readonly FailureCode[] = ["forbidden_host", "internal"];

/** What an operation says of itself, for `detail`; `note` is about this way of asking. */
export const about = (
  { name, title, summary }: Pick<Operation, "name" | "title" | "summary">,
  tag: string,
  note?: string,
) => ({
  operationId: name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
  tags: [tag],
  summary: title,
  description: note === undefined ? summary : `${summary} ${note}`,
});

/**
 * A response for `detail.responses`; the document takes its schema from the route's `response`, which checks every answer.
 * `schema` stands here for an answer that was checked when it was made.
 */
export const answer = (description: string, example: unknown, schema?: TSchema) => ({
  description,
  content: { "application/json": { example, ...(schema && { of: schema }) } },
});

/** A stream of events for `detail.responses`; the schema of a frame is the route's `response`. */
export const frames = (examples: readonly RunEvent[]) => ({
  description: "Frames of one line `data: <json>` and an empty line; the JSON is a RunEvent.",
  content: {
    "text/event-stream": { example: examples.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("") },
  },
});

/** A body for `detail.requestBody`; the document takes its schema from the route's `body`. */
export const body = (examples: Readonly<Record<string, unknown>>) => ({
  required: true,
  content: { "application/json": { examples: named(examples) } },
});

/** One response for each status that the codes have, and for the codes that any request may get. */
export function failures(...codes: readonly FailureCode[]): Record<number, ReturnType<typeof failure>> {
  const stored: readonly FailureCode[] = codes.includes("storage_failed") ? ["not_ready"] : [];
  const byStatus = Map.groupBy([...codes, ...stored, ...COMMON_ERRORS], (code) => ERRORS[code].status);
  return Object.fromEntries([...byStatus].map(([status, own]) => [status, failure(own)]));
}

const failure = (codes: readonly FailureCode[]) => ({
  description: codes.map((code) => `\`${code}\`: ${ERRORS[code].meaning}`).join("\n\n"),
  content: {
    "application/json": {
      examples: named(
        Object.fromEntries(codes.map((code) => [code, { error: { code, message: ERRORS[code].meaning } }])),
      ),
    },
  },
});

const named = (examples: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }]));
