import type { OpenReply } from "../../src/arms/wire/open-reply.ts";
import { openReply } from "../../src/arms/wire/open-reply.ts";
import type { InSteps, ReplyReader } from "../../src/arms/wire/reply-reader.ts";
import type { WireReply } from "../../src/arms/wire/wire.ts";
import type { WireName } from "../../src/domain/external-agent.ts";

/** Events of a stream as a provider writes them, each under its type when it has one. */
export const sse = (...events: readonly unknown[]): string => events.map(sseOf).join("");

function sseOf(event: unknown): string {
  if (typeof event === "string") return `data: ${event}\n\n`;
  const type = (event as { readonly type?: unknown }).type;
  return `${typeof type === "string" ? `event: ${type}\n` : ""}data: ${JSON.stringify(event)}\n\n`;
}

export interface Passed {
  readonly bytes: Buffer;
  readonly reply: WireReply;
}

export const STREAM = { content_type: "text/event-stream; charset=utf-8" };

/** Sends bytes through a reader, cut at the given places. */
export function pass(
  wire: WireName,
  sent: string | Uint8Array,
  options: OpenReply = STREAM,
  cuts: readonly number[] = [],
): Passed {
  const bytes = Buffer.from(sent);
  const places = [0, ...[...cuts].sort((a, b) => a - b).map((cut) => Math.min(cut, bytes.length)), bytes.length];
  const reader = openReply(wire, options);
  const passed = places.slice(1).map((to, at) => atOnce(reader.push(bytes.subarray(places[at], to))));
  const { bytes: rest, reply } = endOf(reader);
  return { bytes: Buffer.concat([...passed, rest]), reply };
}

/** The bytes of all steps, without a turn for others. */
export const atOnce = (steps: InSteps<void>): Buffer =>
  Buffer.concat([...steps].filter((bytes) => bytes !== undefined));

/** What is left, and what was said. */
export function endOf(reader: ReplyReader): Passed {
  const bytes: Uint8Array[] = [];
  const steps = reader.end();
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return { bytes: Buffer.concat([...bytes, atOnce(reader.rest())]), reply: step.value };
    if (step.value) bytes.push(step.value);
  }
}

/** The same stream with every event's JSON over several lines. */
export const inLines = (stream: string): string =>
  stream.replace(/^data: (\{.*)$/gm, (_, json: string) =>
    JSON.stringify(JSON.parse(json), null, 1)
      .split("\n")
      .map((line) => `data: ${line}`)
      .join("\n"),
  );
