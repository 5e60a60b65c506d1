import { asName, asRecord, asRecords, asText, dig, type LooseRecord } from "../../../domain/lenient.ts";
import { geminiCallIn } from "../request/gemini.ts";
import { geminiUsage } from "../usage.ts";
import type { CallSoFar } from "./call-so-far.ts";
import type { ReplyForm, ReplySoFar } from "./reply-so-far.ts";

/** Gemini's `GenerateContentResponse`, whole or in pieces. A call always comes whole. Some clients read snake case, too. */
export const GEMINI_REPLY: ReplyForm = { take, exchange, usageOf: geminiUsage };

function take(event: LooseRecord, reply: ReplySoFar): readonly CallSoFar[] {
  const { error, modelVersion, usageMetadata, promptFeedback } = event;
  reply.model_served = asName(modelVersion ?? event["model_version"]) ?? reply.model_served;
  reply.usage = asRecord(usageMetadata) ?? reply.usage;
  if (error != null) reply.fail(asText(dig(error, "message")));
  const feedback = asRecord(promptFeedback ?? event["prompt_feedback"]) ?? {};
  const blocked = asName(feedback["blockReason"] ?? feedback["block_reason"]);
  if (blocked !== undefined) stop(blocked, reply);
  return asRecords(event["candidates"]).flatMap((candidate, at) => takeCandidate(candidate, at, reply));
}

/** Calls of every candidate are read, text of the first. */
function takeCandidate(candidate: LooseRecord, at: number, reply: ReplySoFar): CallSoFar[] {
  const isFirst = (candidate["index"] ?? at) === 0;
  const finish = asName(candidate["finishReason"] ?? candidate["finish_reason"]);
  if (finish !== undefined && isFirst) stop(finish, reply);
  return partsOf(candidate).flatMap((part) => {
    if (isFirst && part["thought"] !== true) reply.addText(asText(part["text"]) ?? "");
    const fields = CALL_FIELDS.filter((field) => part[field] != null);
    if (fields.length > 1) reply.doubt();
    return fields.flatMap((field) => takeCall(asRecord(part[field]), reply));
  });
}

function stop(reason: string, reply: ReplySoFar): void {
  reply.stop_reason = reason;
  reply.finish();
}

const partsOf = (candidate: LooseRecord) => asRecords(dig(candidate, "content", "parts"));

const CALL_FIELDS = ["functionCall", "function_call"] as const;

/** By which a call says that its arguments come in pieces. */
const IN_PIECES = ["partialArgs", "partial_args", "willContinue", "will_continue"] as const;

function takeCall(found: LooseRecord | undefined, reply: ReplySoFar): CallSoFar[] {
  if (found === undefined) return [];
  if (IN_PIECES.some((field) => found[field] != null)) reply.doubt();
  const { id, name, input } = geminiCallIn(found);
  const call = reply.callAt(reply.calls.length, { id, name });
  reply.setInput(call, input);
  reply.close(call);
  return [call];
}

function exchange(event: LooseRecord, calls: readonly CallSoFar[]): readonly LooseRecord[] {
  const left = [...calls];
  const candidates = asRecords(event["candidates"]).map((candidate) => {
    if (partsOf(candidate).length === 0) return candidate;
    const parts = partsOf(candidate).map((part) => exchangePart(part, left));
    return { ...candidate, content: { ...asRecord(candidate["content"]), parts } };
  });
  return [{ ...event, candidates }];
}

function exchangePart(part: LooseRecord, left: CallSoFar[]): LooseRecord {
  const field = CALL_FIELDS.find((name) => asRecord(part[name]) !== undefined);
  if (field === undefined) return part;
  const exchanged = left.shift()?.exchanged;
  return exchanged == null ? part : { ...part, [field]: { ...asRecord(part[field]), args: exchanged } };
}
