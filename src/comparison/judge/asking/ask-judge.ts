import type { Message, ModelClient, ModelReply, ModelRequest } from "../../../arms/model/client.ts";
import { CALL_TIMEOUT_MS, JUDGE_OUTPUT_TOKENS, JUDGE_REASKS } from "../../../domain/defaults.ts";
import { sumUsage, type Usage } from "../../../domain/usage.ts";
import type { Citation, JudgeCall, Side } from "../../../domain/verdict.ts";
import type { Clock, Entropy } from "../../../runtime/clock.ts";
import { ANSWER_TOOL } from "../answer/judgement-schema.ts";
import {
  type Expected,
  inArmFrame,
  type ParsedAnswer,
  type ParseResult,
  parseAnswer,
  replyText,
  type UsableAnswer,
} from "../answer/parse-answer.ts";
import { exceeds } from "../verdict/score-table.ts";
import { nameArms, type Presentation } from "../view/labels.ts";
import type { Prompt } from "./judge-prompt.ts";
import type { JudgingBudget } from "./judging-budget.ts";
export interface Question {
  readonly prompt: Prompt;
  readonly expected: Expected;
  readonly presentation: Presentation;
  readonly masked: boolean;
}

/** One call with its re-asks. The label and the gap are null until both orders are known. */
export interface CallResult {
  readonly call: JudgeCall;
  /** By criterion id. */
  readonly citations: ReadonlyMap<string, readonly Citation[]>;
  /** Arms whose words the judge suspects. */
  readonly suspects: readonly Side[];
  readonly usage: Usage;
  /** The prompt does not fit the judge's context. */
  readonly overflow: boolean;
}

export interface JudgeClient {
  readonly model: ModelClient;
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** Absent: judging has no limit. The caller reserves the first request of a question, `askJudge` every re-ask. */
  readonly budget?: JudgingBudget | undefined;
}

/** Share of the judged weight that may lack citations. */
const UNSUPPORTED_SHARE = 1 / 3;

const UNAFFORDABLE = "the cost limit left no room to ask again";

const UNREADABLE: Partial<Record<ModelReply["stop"], string>> = {
  output_limit: "the answer was cut by the output limit: write shorter notes",
  context_overflow: "the evidence does not fit the judge's context",
  refusal: "the judge refused to answer",
};

/** @throws Failure `provider_failed` when the judge cannot be reached; the signal's reason when it fires. */
export async function askJudge(
  question: Question,
  { model, clock, budget }: JudgeClient,
  signal: AbortSignal,
): Promise<CallResult> {
  const began = clock.ticks();
  const { prompt, expected } = question;
  let conversation = begin(prompt);
  let request = firstRequest(question);
  while (!conversation.over) {
    const reply = await model.complete(request, { signal });
    budget?.settle(request, reply);
    conversation = withReply(conversation, reply, expected);
    if (conversation.over) break;
    request = requestOf(conversation, prompt, expected);
    if (budget?.reserve([request]) === false)
      conversation = { ...conversation, errors: [...conversation.errors, UNAFFORDABLE], over: true };
  }
  return resultOf(question, conversation, tookMs(conversation.replies, clock.ticks() - began));
}

/** The first request and at most two re-asks, as far as they went. */
interface JudgeConversation {
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
function withReply(conversation: JudgeConversation, reply: ModelReply, expected: Expected): JudgeConversation {
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

const requestOf = ({ messages }: JudgeConversation, { system }: Prompt, { schema }: Expected): ModelRequest => ({
  system,
  messages,
  tools: [{ name: ANSWER_TOOL, description: "Submit the scores of both candidates, once.", input: schema }],
  force_tool: ANSWER_TOOL,
  params: { max_output_tokens: JUDGE_OUTPUT_TOKENS },
  timeout_ms: CALL_TIMEOUT_MS,
});

const begin = ({ user }: Prompt): JudgeConversation => ({
  messages: [{ role: "user", text: user }],
  replies: [],
  answer: null,
  errors: [],
  leaked: false,
  over: false,
});

/** The time that replies took. Recorded replies took what they took when they were recorded. */
function tookMs(replies: readonly ModelReply[], measured_ms: number): number {
  const recorded = replies.flatMap(({ recorded_ms }) => recorded_ms ?? []);
  const replayed = replies.length > 0 && recorded.length === replies.length;
  return Math.round(replayed ? recorded.reduce((sum, ms) => sum + ms, 0) : measured_ms);
}

/** The request that a question begins with. */
export const firstRequest = ({ prompt, expected }: Question): ModelRequest =>
  requestOf(begin(prompt), prompt, expected);

function resultOf(
  { presentation, masked, expected }: Question,
  conversation: JudgeConversation,
  latency_ms: number,
): CallResult {
  const { answer, errors, leaked, replies } = conversation;
  const parsed = answer && inArmFrame(answer, presentation);
  const error = parsed ? tooFewCitations(parsed.call.scores, expected) : nameArms(errors.join("; "), presentation);
  const { call, citations, suspects } = parsed ?? NO_ANSWER;
  const last = replies.at(-1);
  const usage = sumUsage(replies);
  return {
    call: {
      order: presentation.order,
      masked,
      valid: error === null,
      label: null,
      gap: null,
      ...call,
      injection_suspected: call.injection_suspected || leaked,
      attempts: replies.length,
      tokens_in: usage.tokens_in,
      tokens_out: usage.tokens_out,
      latency_ms,
      model_served: last?.model_served ?? null,
      error,
    },
    citations,
    suspects,
    usage,
    overflow: last?.stop === "context_overflow" && error !== null,
  };
}

const NO_ANSWER: ParsedAnswer = {
  call: {
    preference: null,
    strength: null,
    scores: [],
    concerns: [],
    injection_suspected: false,
    rationale: "",
    citations_invalid: 0,
  },
  suspects: [],
  citations: new Map(),
};

function tooFewCitations(scores: JudgeCall["scores"], { criteria }: Expected): string | null {
  const weightOf = new Map(criteria.map(({ id, weight }) => [id, weight]));
  const sum = (some: JudgeCall["scores"]) => some.reduce((total, { id }) => total + (weightOf.get(id) ?? 0), 0);
  const missing = sum(scores.filter(({ supported }) => !supported));
  if (!exceeds(missing, sum(scores) * UNSUPPORTED_SHARE)) return null;
  return "more than one third of the judged weight has no valid citation for a candidate";
}
