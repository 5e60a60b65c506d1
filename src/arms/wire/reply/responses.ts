import { asId } from "../../../domain/as-id.ts";
import { asName, asRecord, asRecords, asText, dig, type LooseRecord } from "../../../domain/lenient.ts";
import { callIn, INPUT_FIELDS } from "../request/responses.ts";
import { responsesUsage } from "../usage.ts";
import type { CallSoFar } from "./call-so-far.ts";
import type { ReplyForm, ReplySoFar } from "./reply-so-far.ts";

/** OpenAI's Responses. https://platform.openai.com/docs/api-reference/responses-streaming */
export const RESPONSES_REPLY: ReplyForm = { take, exchange, usageOf: responsesUsage };

/** Pieces of inputs, and their ends. */
const INPUT_EVENT = /^response\.(function_call_arguments|custom_tool_call_input|\w+_call_\w+)\.(delta|done)$/;

function take(event: LooseRecord, reply: ReplySoFar): readonly CallSoFar[] {
  const type = asText(event["type"]) ?? "";
  if (event["object"] === "response") return takeResponse(event, reply);
  if (type === "error") reply.fail(asText(event["message"]) ?? asText(dig(event, "error", "message")));
  if (type === "" && event["error"] != null) reply.fail(asText(dig(event, "error", "message")));
  if (type === "response.output_text.delta" || type === "response.refusal.delta")
    reply.addText(asText(event["delta"]) ?? "");
  if (type.startsWith("response.output_item.")) return takeItem(event, reply);
  if (INPUT_EVENT.test(type)) return takeInput(event, reply);
  const response = asRecord(event["response"]);
  return response === undefined ? [] : takeResponse(response, reply);
}

const placeOf = ({ output_index, item_id }: LooseRecord) => `${output_index ?? asId(item_id)}`;

function takeItem(event: LooseRecord, reply: ReplySoFar): CallSoFar[] {
  const item = asRecord(event["item"]) ?? {};
  return takeCall(item, { place: placeOf(event), whole: event["type"] === "response.output_item.done" }, reply);
}

interface At {
  readonly place: string;
  readonly whole: boolean;
}

function takeCall(item: LooseRecord, { place, whole }: At, reply: ReplySoFar): CallSoFar[] {
  const found = callIn(item);
  if (found === undefined) return [];
  // By its id: some gateways number all items alike, or otherwise at the end than before.
  const call = reply.callAt(found.id === null ? place : `id ${found.id}`, {
    id: found.id,
    name: found.name,
    free_text: item["type"] === "custom_tool_call",
  });
  for (const also of [place, asId(item["id"])]) if (also !== undefined) reply.alsoAt(also, call);
  if (whole) {
    reply.setInput(call, item[INPUT_FIELDS.get(item["type"]) ?? ""] ?? "");
    reply.close(call);
  }
  return [call];
}

/** Pieces of an input that is a text. Some clients run what these say, some what the item says at its end. */
const TEXT_EVENT = /^response\.(function_call_arguments|custom_tool_call_input)\./;

function takeInput(event: LooseRecord, reply: ReplySoFar): CallSoFar[] {
  const call = reply.knownAt(placeOf(event));
  const isText = TEXT_EVENT.test(asText(event["type"]) ?? "");
  const named = reply.knownAt(`${asId(event["item_id"])}`) ?? call;
  if (isText && (call === undefined || named !== call)) reply.doubt();
  if (call === undefined) return [];
  if (isText) reply.addInput(call, asText(event["delta"]) ?? "");
  if (isText) reply.setInput(call, asText(event["arguments"]) ?? asText(event["input"]) ?? "");
  return [call];
}

/** The response itself. It says everything again when it has ended. */
function takeResponse({ model, usage, status, output, ...rest }: LooseRecord, reply: ReplySoFar): readonly CallSoFar[] {
  reply.model_served = asName(model) ?? reply.model_served;
  reply.usage = asRecord(usage) ?? reply.usage;
  if (status === "failed" || status === "cancelled") reply.fail(asText(dig(rest["error"], "message")) ?? status);
  const items = asRecords(output);
  if (reply.text === "") reply.addText(items.map(textOf).join(""));
  const whole = status !== "queued" && status !== "in_progress";
  const calls = items.flatMap((item, place) => takeCall(item, { place: `${place}`, whole }, reply));
  if (status === "completed" || status === "incomplete") {
    reply.stop_reason = asName(dig(rest["incomplete_details"], "reason")) ?? status;
    reply.finishCalls();
  }
  return calls;
}

const textOf = ({ content }: LooseRecord) =>
  asRecords(content)
    .map(({ type, text, refusal }) => (type === "output_text" ? (asText(text) ?? "") : (asText(refusal) ?? "")))
    .join("");

function exchange(event: LooseRecord, calls: readonly CallSoFar[]): readonly LooseRecord[] {
  const response = asRecord(event["response"]);
  if (event["object"] === "response") return [exchangeOutput(event, calls)];
  if (response !== undefined) return [{ ...event, response: exchangeOutput(response, calls) }];
  const [call] = calls;
  if (call?.exchanged == null) return [event];
  const item = asRecord(event["item"]);
  if (item !== undefined) return [{ ...event, item: exchangeItem(item, call) }];
  return exchangeInput(event, call);
}

function exchangeOutput(response: LooseRecord, calls: readonly CallSoFar[]): LooseRecord {
  const left = [...calls];
  const output = asRecords(response["output"]).map((item) =>
    INPUT_FIELDS.has(item["type"]) ? exchangeItem(item, left.shift()) : item,
  );
  return { ...response, output };
}

function exchangeItem(item: LooseRecord, call: CallSoFar | undefined): LooseRecord {
  const field = INPUT_FIELDS.get(item["type"]);
  // An item that begins has an empty text, to which the pieces are added.
  if (call?.exchanged == null || field === undefined || item[field] === "") return item;
  const isText = item["type"] === "function_call" || item["type"] === "custom_tool_call";
  return { ...item, [field]: isText ? call.exchangedText : call.exchanged };
}

/** The first piece has all of the input. Pieces of other forms than a text are left out: the item itself follows. */
function exchangeInput(event: LooseRecord, call: CallSoFar): readonly LooseRecord[] {
  switch (event["type"]) {
    case "response.function_call_arguments.done":
      return [{ ...event, arguments: call.exchangedText }];
    case "response.custom_tool_call_input.done":
      return [{ ...event, input: call.exchangedText }];
    case "response.function_call_arguments.delta":
    case "response.custom_tool_call_input.delta": {
      const delta = call.takeExchangedText();
      return delta === "" ? [] : [{ ...event, delta }];
    }
    default:
      return [];
  }
}
