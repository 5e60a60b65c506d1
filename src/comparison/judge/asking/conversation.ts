import type { Message, ModelReply } from "../../../arms/model/client.ts";
import { JUDGE_REASKS } from "../../../domain/defaults.ts";
import { ANSWER_TOOL } from "../answer/judgement-schema.ts";
import { type Expected, type ParseResult, parseAnswer, type UsableAnswer } from "../answer/parse-answer.ts";
import { replyText } from "../answer/reply-text.ts";

/** The first request and at most two re-asks, as far as they went. */
export interface JudgeConversation {
  readonly messages: readonly Message[];
  readonly replies: readonly ModelReply[];
  /** The last usable answer. A judge that wrote the private code has none. */
  readonly answer: UsableAnswer | null;
  /** What is wrong with the last reply. */
  readonly errors: readonly string[];
  /** The judge wrote the private code. */
  readonly leaked: boolean;
  /** Whether the conversation is over. */
  readonly over: boolean;
}

/** The conversation after a reply. Its messages end with what must be mended, unless it is over. */
export function withReply(conversation: JudgeConversation, reply: ModelReply, expected: Expected): JudgeConversation {
  const { answer, errors, leaked } = parse(reply, expected);
  const replies = [...conversation.replies, reply];
  const final = reply.stop === "context_overflow" || reply.stop === "refusal" || leaked;
  const over = final || errors.length === 0 || replies.length > JUDGE_REASKS;
  return {
    messages: over ? conversation.messages : continued(conversation.messages, reply, reaskText(errors)),
    replies,
    answer: leaked ? null : (answer ?? conversation.answer),
    errors,
    leaked,
    over,
  };
}

function parse(reply: ModelReply, expected: Expected): ParseResult {
  const unreadable = UNREADABLE[reply.stop];
  return unreadable ? { answer: null, errors: [unreadable], leaked: false } : parseAnswer(reply, expected);
}

const UNREADABLE: Partial<Record<ModelReply["stop"], string>> = {
  output_limit: "the answer was cut by the output limit: write shorter notes",
  context_overflow: "the evidence does not fit the judge's context",
  refusal: "the judge refused to answer",
};

/** The parser's errors and nothing else: no hint at who should win. */
const reaskText = (errors: readonly string[]) =>
  `The answer cannot be used:\n${errors.map((error) => `- ${error}`).join("\n")}\nAnswer again, completely, by one call of ${ANSWER_TOOL}.`;

/**
 * The messages with the reply and the errors at their end. A reply that was cut, is empty or is too long to read is not
 * sent back: the errors then join the last message.
 */
function continued(messages: readonly Message[], reply: ModelReply, text: string): readonly Message[] {
  if (reply.stop === "output_limit" || replyText(reply) === null || isEmpty(reply))
    return [...messages.slice(0, -1), ...messages.slice(-1).map((last) => appended(last, text))];
  const turn: Message = { role: "assistant", text: reply.text, calls: reply.calls, raw: reply.raw };
  if (reply.calls.length === 0) return [...messages, turn, { role: "user", text }];
  return [
    ...messages,
    turn,
    { role: "tool", results: reply.calls.map(({ id }) => ({ call_id: id, ok: false, text })) },
  ];
}

const isEmpty = ({ calls, text }: ModelReply) => calls.length === 0 && text.trim() === "";

function appended(message: Message, text: string): Message {
  if (message.role !== "tool") return { ...message, text: `${message.text}\n\n${text}` };
  return { ...message, results: message.results.map((result) => ({ ...result, text: `${result.text}\n${text}` })) };
}
