import type { Clock } from "../clock.ts";
import { CALL_TIMEOUT_MS, JUDGE_OUTPUT_TOKENS, JUDGE_REASKS } from "../domain/defaults.ts";
import { sumUse } from "../domain/usage.ts";
import type { Citation, JudgeCall, Side } from "../domain/verdict.ts";
import type { Message, ModelClient, ModelReply, ModelRequest } from "../model/client.ts";
import { ANSWER_TOOL } from "./answer/judgement.ts";
import { writtenIn } from "./answer/written-in.ts";
import type { Prompt } from "./judge-prompt.ts";
import type { Purse } from "./purse.ts";
import { type Expected, type Reading, readVerdict, type UsableAnswer } from "./read-verdict.ts";
import { nameArms, type Seating, type Testimony, testimonyOf } from "./record-call.ts";

export interface Question {
  readonly prompt: Prompt;
  readonly expected: Expected;
  readonly seating: Seating;
  readonly masked: boolean;
}

/** One call with its re-asks. Label and gap are computed when both orders are known; until then they are null. */
export interface Answered {
  readonly call: JudgeCall;
  /** By criterion id, in the arm frame. */
  readonly citations: ReadonlyMap<string, readonly Citation[]>;
  /** Arms whose words the judge suspects. */
  readonly suspects: readonly Side[];
  /** Cache reads within the call's tokens_in; null when unknown. */
  readonly cached_tokens: number | null;
  /** The prompt does not fit the judge's context. */
  readonly overflow: boolean;
}

/** Share of the judged weight that may lack citations. */
const UNSUPPORTED_SHARE = 1 / 3;

/** What a judge is asked with. */
export interface Asking {
  readonly model: ModelClient;
  readonly clock: Clock;
  /** Absent: judging may cost what it costs. The first request of a question is put aside by whoever asks it. */
  readonly purse?: Purse | undefined;
}

/** @throws Failure `provider_failed` when the judge cannot be reached; the signal's reason when it fires. */
export async function askJudge(
  question: Question,
  { model, clock, purse }: Asking,
  signal: AbortSignal,
): Promise<Answered> {
  const began = clock.ticks();
  const conversation = new Conversation(question);
  let request = conversation.request();
  while (!conversation.over) {
    const reply = await model.complete(request, { signal });
    purse?.settle(request, reply);
    conversation.take(reply);
    if (conversation.over) break;
    request = conversation.request();
    if (purse?.affords([request]) === false) conversation.stop(UNAFFORDABLE);
  }
  return conversation.answered(Math.round(clock.ticks() - began));
}

/** What a question sends first. */
export const firstRequest = (question: Question): ModelRequest => new Conversation(question).request();

const UNAFFORDABLE = "the cost limit left no room to ask again";

/** The first question and at most two re-asks; every attempt's tokens count. */
class Conversation {
  readonly #question: Question;
  readonly #replies: ModelReply[] = [];
  #messages: readonly Message[];
  #usable: UsableAnswer | null = null;
  #errors: readonly string[] = [];
  #leaked = false;
  over = false;

  constructor(question: Question) {
    this.#question = question;
    this.#messages = [{ role: "user", text: question.prompt.user }];
  }

  request(): ModelRequest {
    const { prompt, expected } = this.#question;
    return {
      system: prompt.system,
      messages: this.#messages,
      tools: [
        { name: ANSWER_TOOL, description: "Submit the scores of both candidates, once.", input: expected.schema },
      ],
      force_tool: ANSWER_TOOL,
      params: { max_output_tokens: JUDGE_OUTPUT_TOKENS },
      timeout_ms: CALL_TIMEOUT_MS,
    };
  }

  take(reply: ModelReply): void {
    this.#replies.push(reply);
    const reading = this.#read(reply);
    this.#usable = reading.answer ?? this.#usable;
    this.#errors = reading.errors;
    this.#leaked ||= reading.leaked;
    const final = reply.stop === "context_overflow" || reply.stop === "refusal" || reading.leaked;
    this.over = final || reading.errors.length === 0 || this.#replies.length > JUDGE_REASKS;
    if (!this.over) this.#messages = continued(this.#messages, reply, reaskText(reading.errors));
  }

  /** It will not be asked again. */
  stop(reason: string): void {
    this.#errors = [...this.#errors, reason];
    this.over = true;
  }

  #read(reply: ModelReply): Reading {
    const unread = UNREADABLE[reply.stop];
    return unread ? { answer: null, errors: [unread], leaked: false } : readVerdict(reply, this.#question.expected);
  }

  answered(latency_ms: number): Answered {
    const { seating, masked, expected } = this.#question;
    const testimony = this.#usable && !this.#leaked ? testimonyOf(this.#usable, seating) : SILENCE;
    const unsupported =
      testimony === SILENCE ? nameArms(this.#errors.join("; "), seating) : tooFewCitations(testimony.scores, expected);
    const { citations, suspects, ...said } = testimony;
    const { tokens_in, tokens_out, cached_tokens } = sumUse(this.#replies);
    const call: JudgeCall = {
      order: seating.order,
      masked,
      valid: unsupported === null,
      label: null,
      gap: null,
      ...said,
      injection_suspected: said.injection_suspected || this.#leaked,
      attempts: this.#replies.length,
      tokens_in,
      tokens_out,
      latency_ms,
      model_served: this.#replies.at(-1)?.model_served ?? null,
      error: unsupported,
    };
    const overflow = this.#replies.at(-1)?.stop === "context_overflow" && !call.valid;
    return { call, citations, suspects, cached_tokens, overflow };
  }
}

const UNREADABLE: Partial<Record<ModelReply["stop"], string>> = {
  output_limit: "the answer was cut by the output limit: write shorter notes",
  context_overflow: "the evidence does not fit the judge's context",
  refusal: "the judge refused to answer",
};

const SILENCE: Testimony = {
  preference: null,
  strength: null,
  scores: [],
  concerns: [],
  injection_suspected: false,
  suspects: [],
  rationale: "",
  citations_invalid: 0,
  citations: new Map(),
};

function tooFewCitations(scores: JudgeCall["scores"], { criteria }: Expected): string | null {
  const weightOf = new Map(criteria.map(({ id, weight }) => [id, weight]));
  const sum = (some: JudgeCall["scores"]) => some.reduce((total, { id }) => total + (weightOf.get(id) ?? 0), 0);
  const missing = sum(scores.filter(({ supported }) => !supported));
  if (missing === 0 || missing <= sum(scores) * UNSUPPORTED_SHARE + 1e-9) return null;
  return "more than one third of the judged weight has no valid citation for a candidate";
}

/** The machine's list and nothing else: no hint at who should win. */
function reaskText(errors: readonly string[]): string {
  return `The answer cannot be used:\n${errors.map((error) => `- ${error}`).join("\n")}\nAnswer again, completely, by one call of ${ANSWER_TOOL}.`;
}

/**
 * The same conversation with the errors at its end. A turn that was cut, that holds nothing or more than is read, is not
 * sent back: the errors then join the last message, as if they had been said there.
 */
function continued(messages: readonly Message[], reply: ModelReply, text: string): readonly Message[] {
  if (reply.stop === "output_limit" || writtenIn(reply) === null || isEmpty(reply))
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
