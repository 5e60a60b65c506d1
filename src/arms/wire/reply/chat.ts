import { asId } from "../../../domain/as-id.ts";
import { asName, asRecord, asRecords, asText, dig, type LooseRecord } from "../../../domain/lenient.ts";
import { chatUsage } from "../usage.ts";
import { textIn } from "../wire.ts";
import type { CallSoFar } from "./call-so-far.ts";
import type { ReplyForm, ReplySoFar } from "./reply-so-far.ts";

/** OpenAI's chat completions, whole or in chunks. https://platform.openai.com/docs/api-reference/chat-streaming */
export const CHAT_REPLY: ReplyForm = { take, exchange, usageOf: chatUsage };

/** The chunk that only counts. It comes last, when the client asked for usage. */
export const isUsageOnly = ({ choices, usage }: LooseRecord): boolean =>
  Array.isArray(choices) && choices.length === 0 && asRecord(usage) !== undefined;

function take(event: LooseRecord, reply: ReplySoFar): readonly CallSoFar[] {
  reply.model_served = asName(event["model"]) ?? reply.model_served;
  reply.usage = asRecord(event["usage"]) ?? reply.usage;
  const calls = asRecords(event["choices"]).flatMap((choice, at) => takeChoice(choice, at, reply));
  const error = event["error"];
  if (error != null) reply.fail(asText(error) ?? asText(dig(error, "message")));
  return calls;
}

/** Calls of every choice are read, text of the first. */
function takeChoice(choice: LooseRecord, at: number, reply: ReplySoFar): readonly CallSoFar[] {
  const place = `${choice["index"] ?? at}`;
  const said = saidIn(choice);
  if (place === "0") reply.addText(textIn(said["content"]) + (asText(said["refusal"]) ?? ""));
  const isPiece = choice["delta"] != null;
  const placeIn = (entry: LooseRecord, nth: number) => (isPiece ? (entry["index"] ?? nth) : nth);
  const calls = entriesIn(said).map((entry, nth) => takeEntry(entry, `${place}.${placeIn(entry, nth)}`, reply));
  // Some servers send an empty one with every chunk.
  const finish = asName(choice["finish_reason"]);
  if (!finish) return calls;
  if (place === "0") reply.stop_reason = finish;
  reply.finishCalls();
  return calls;
}

const saidIn = (choice: LooseRecord) => asRecord(choice["delta"]) ?? asRecord(choice["message"]) ?? {};

/** The calls in a delta; one in the old form without a list is the last. */
function entriesIn({ tool_calls, function_call }: LooseRecord): readonly LooseRecord[] {
  const old = asRecord(function_call);
  return [...asRecords(tool_calls), ...(old === undefined ? [] : [{ index: "old", function: old }])];
}

function takeEntry(entry: LooseRecord, place: string, reply: ReplySoFar): CallSoFar {
  const custom = asRecord(entry["custom"]);
  const { name, arguments: given } = asRecord(entry["function"]) ?? {
    name: custom?.["name"],
    arguments: custom?.["input"],
  };
  const opening = { id: asId(entry["id"]) || null, name: asName(name) ?? "", free_text: custom !== undefined };
  const call = reply.callAt(place, opening);
  if (typeof given === "string") reply.addInput(call, given);
  else if (given != null) reply.setInput(call, given);
  return call;
}

/** The first chunk of a call gets all of the input, the others nothing. */
function exchange(event: LooseRecord, calls: readonly CallSoFar[]): readonly LooseRecord[] {
  const left = [...calls];
  const choices = asRecords(event["choices"]).map((choice) => exchangeChoice(choice, left));
  return [{ ...event, choices }];
}

function exchangeChoice(choice: LooseRecord, left: CallSoFar[]): LooseRecord {
  const said = saidIn(choice);
  const tool_calls = asRecords(said["tool_calls"]).map((entry) => exchangeEntry(entry, left.shift()));
  const old = asRecord(said["function_call"]);
  const changed = {
    ...said,
    ...(said["tool_calls"] == null ? {} : { tool_calls }),
    ...(old === undefined ? {} : { function_call: exchangeEntry({ function: old }, left.shift())["function"] }),
  };
  return choice["delta"] == null ? { ...choice, message: changed } : { ...choice, delta: changed };
}

function exchangeEntry(entry: LooseRecord, call: CallSoFar | undefined): LooseRecord {
  if (call?.exchanged == null) return entry;
  const text = call.takeExchangedText();
  const custom = asRecord(entry["custom"]);
  if (custom !== undefined) return { ...entry, custom: { ...custom, input: text } };
  return { ...entry, function: { ...asRecord(entry["function"]), arguments: text } };
}
