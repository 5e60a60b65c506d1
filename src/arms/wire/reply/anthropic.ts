import { asId } from "../../../domain/as-id.ts";
import { asName, asRecord, asRecords, asText, dig, type LooseRecord } from "../../../domain/lenient.ts";
import { anthropicUsage, laterUsage } from "../usage.ts";
import type { CallSoFar } from "./call-so-far.ts";
import type { ReplyForm, ReplySoFar } from "./reply-so-far.ts";

/** Anthropic's messages. https://docs.claude.com/en/docs/build-with-claude/streaming */
export const ANTHROPIC_REPLY: ReplyForm = { take, exchange, usageOf: anthropicUsage };

function take(event: LooseRecord, reply: ReplySoFar): readonly CallSoFar[] {
  const place = event["index"];
  switch (event["type"]) {
    case "message_start": {
      const { output_tokens: _preliminary, ...usage } = asRecord(dig(event, "message", "usage")) ?? {};
      return takeHead({ ...asRecord(event["message"]), usage }, reply);
    }
    case "message_delta":
      return takeHead({ ...asRecord(event["delta"]), usage: event["usage"] }, reply);
    case "content_block_start":
      reply.blocks += 1;
      return takeBlock(asRecord(event["content_block"]) ?? {}, reply.blocks - 1, reply);
    case "content_block_delta":
      return takeDelta(asRecord(event["delta"]) ?? {}, place, reply);
    case "content_block_stop":
      return close(typeof place === "number" ? reply.knownAt(place) : undefined, reply);
    case "message_stop":
      reply.finish();
      return [];
    case "message":
      return takeBody(event, reply);
    case "error":
      reply.fail(asText(dig(event, "error", "message")));
      return [];
    default:
      return [];
  }
}

function takeHead({ model, stop_reason, usage }: LooseRecord, reply: ReplySoFar): [] {
  reply.model_served = asName(model) ?? reply.model_served;
  reply.stop_reason = asName(stop_reason) ?? reply.stop_reason;
  reply.usage = laterUsage(reply.usage, usage);
  return [];
}

function takeBlock({ type, text, id, name, input }: LooseRecord, place: number, reply: ReplySoFar): CallSoFar[] {
  if (type === "text") reply.addText(asText(text) ?? "");
  if (type !== "tool_use") return [];
  const call = reply.callAt(place, { id: asId(id) ?? null, name: asName(name) ?? "" });
  // A stream usually begins with an empty input, which then comes in pieces.
  if (Object.keys(asRecord(input) ?? {}).length > 0) reply.setInput(call, input);
  return [call];
}

/** Blocks come one after the other. Some clients look a block up by its index, some take the last. */
function takeDelta({ type, text, partial_json }: LooseRecord, place: unknown, reply: ReplySoFar): CallSoFar[] {
  if (type === "text_delta") reply.addText(asText(text) ?? "");
  if (type !== "input_json_delta") return [];
  const call = reply.knownAt(reply.blocks - 1);
  if (place !== reply.blocks - 1) reply.doubt();
  if (call === undefined) return [];
  reply.addInput(call, asText(partial_json) ?? "");
  return [call];
}

function close(call: CallSoFar | undefined, reply: ReplySoFar): CallSoFar[] {
  if (call === undefined) return [];
  reply.close(call);
  return [call];
}

function takeBody(body: LooseRecord, reply: ReplySoFar): readonly CallSoFar[] {
  takeHead(body, reply);
  reply.finish();
  return asRecords(body["content"])
    .flatMap((block, place) => takeBlock(block, place, reply))
    .flatMap((call) => close(call, reply));
}

function exchange(event: LooseRecord, calls: readonly CallSoFar[]): readonly LooseRecord[] {
  const [call] = calls;
  if (event["type"] === "message") return [exchangeBody(event, calls)];
  if (call?.exchanged == null) return [event];
  const { index } = event;
  switch (event["type"]) {
    case "content_block_start":
      return [{ ...event, content_block: { ...asRecord(event["content_block"]), input: {} } }];
    case "content_block_delta":
      return [];
    default: {
      const delta = { type: "input_json_delta", partial_json: call.exchangedText };
      return [{ type: "content_block_delta", index, delta }, event];
    }
  }
}

function exchangeBody(body: LooseRecord, calls: readonly CallSoFar[]): LooseRecord {
  const left = [...calls];
  const content = asRecords(body["content"]).map((block) => {
    const exchanged = block["type"] === "tool_use" ? left.shift()?.exchanged : null;
    return exchanged == null ? block : { ...block, input: exchanged };
  });
  return { ...body, content };
}
