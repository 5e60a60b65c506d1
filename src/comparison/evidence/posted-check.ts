import { Type } from "@sinclair/typebox";
import { readJsonReply, UnusableAnswer } from "../../arms/endpoint/answer-protocol.ts";
import { type EndpointServices, openEndpoint } from "../../arms/endpoint/endpoint.ts";
import type { PostedCheck } from "../../domain/answering.ts";
import type { Decision } from "../../domain/decision.ts";
import { ANSWER_CHARS } from "../../domain/defaults.ts";
import type { CheckResult } from "../../domain/evidence.ts";
import { Failure } from "../../domain/failure.ts";
import { Share } from "../../domain/schema.ts";
import { isUnknown } from "../../domain/size-of.ts";
import type { ProbeCheck } from "../../domain/task.ts";
import { wholeJson } from "../../domain/whole-json.ts";
import { type Clock, type Entropy, startTimer } from "../../runtime/clock.ts";
import { jsonPieces } from "../../runtime/json-pieces.ts";
import { Pace } from "../../runtime/pace.ts";
import type { Readable } from "./pure-check.ts";
import { scored, whyGiven } from "./scored-check.ts";

/** The name of what is posted and replied. A later one is asked for by name, too. */
const PROTOCOL = "abeval/check/1";

/** Bytes of what is posted. */
const POSTED_BYTES = 8 * 1024 * 1024;

/** What posting takes. */
export interface PostingServices {
  readonly endpoints: EndpointServices;
  readonly arm_clock: Clock;
  readonly entropy: Entropy;
}

interface Posting {
  readonly check: ProbeCheck;
  readonly posted: PostedCheck;
  /** It does not tell which arm it is, its model, prompt or price. */
  readonly left: Readable;
  readonly redact: (text: string) => string;
  /** Nothing is checked: somebody tries whether the program replies. */
  readonly rehearsal?: true;
}

type PostedResult = Pick<CheckResult, "status" | "reason" | "score" | "why" | "could_not_run" | "duration_ms">;

/**
 * The result of a check that is posted. A program that gives none has failed nobody's work: no arm was asked to run it.
 * @throws the signal's reason when it fires
 */
export async function postedCheck(
  services: PostingServices,
  posting: Posting,
  signal: AbortSignal,
): Promise<PostedResult> {
  const { check, posted, left, redact } = posting;
  const { answer } = left;
  const chars = answer?.length ?? 0;
  // As for any check of an answer.
  if (chars > ANSWER_CHARS) return unposted(`the answer has ${chars} characters, at most ${ANSWER_CHARS} are checked`);
  const body = await bodyOf(posting);
  if (body === undefined) return unposted(`change and calls make more than the ${POSTED_BYTES} bytes that are posted`);
  const began = services.arm_clock.ticks();
  const took = () => ({ duration_ms: Math.round(services.arm_clock.ticks() - began) });
  const late = new AbortController();
  using _timer = startTimer(services.arm_clock, check.timeout_s * 1_000, () => late.abort());
  try {
    return { ...(await ask(services, { ...posting, body }, AbortSignal.any([signal, late.signal]))), ...took() };
  } catch (error) {
    signal.throwIfAborted();
    const { host } = new URL(posted.url);
    const words = late.signal.aborted ? `${host} gave no result within ${check.timeout_s} s` : faultIn(error, host);
    const could_not_run = redact(words);
    return { status: "error", reason: `could not be checked: ${could_not_run}`, could_not_run, ...took() };
  }
}

/** The arm left more than is looked at. */
const unposted = (reason: string): PostedResult => ({ status: "error", reason, duration_ms: 0 });

/** Its calls in the form in which an endpoint tells of its own. */
function* stepsIn(decisions: readonly Decision[]) {
  for (const { kind, detail } of decisions)
    if (kind === "tool_call" && detail !== undefined) {
      const { tool: name, input, output, ok } = detail;
      yield { kind, name, input, output, ok };
    }
}

/** Bytes that are compared in the time in which one is written as JSON, or into memory that is new. */
const JSON_COST = 4;

/** In turns with others. Undefined for more than is posted. */
async function bodyOf(posting: Posting): Promise<Uint8Array | undefined> {
  const pace = new Pace();
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for (const piece of piecesOf(posting)) {
    const part = Buffer.from(piece);
    bytes += part.byteLength;
    if (bytes > POSTED_BYTES) return undefined;
    parts.push(part);
    await pace.bytes(JSON_COST * part.byteLength);
  }
  const body = new Uint8Array(bytes);
  let at = 0;
  for (const part of parts) {
    body.set(part, at);
    at += part.byteLength;
    await pace.bytes(JSON_COST * part.byteLength);
  }
  return body;
}

/** What is not known is null. */
function* piecesOf({ check, left, rehearsal }: Posting): Generator<string> {
  const { input = null, answer, decisions, changes } = left;
  const rest = { protocol: PROTOCOL, check: check.id, input, answer, ...(rehearsal && { rehearsal }) };
  yield `${wholeJson(rest).slice(0, -1)},"change":`;
  if (isUnknown(changes)) yield "null";
  else yield* jsonPieces(changes.patch.toWellFormed());
  let before = ',"steps":[';
  for (const step of stepsIn(decisions)) {
    yield before + wholeJson(step);
    before = ",";
  }
  yield before === "," ? "]}" : `${before}]}`;
}

const WHY = { why: Type.Optional(Type.String()) };
const Passed = Type.Object({ pass: Type.Boolean(), ...WHY });
const Scored = Type.Object({ score: Share("Of what could be reached."), ...WHY });

/** @throws UnusableAnswer, Failure for a program that gives no result; the signal's reason */
async function ask(
  services: PostingServices,
  { check, posted, redact, body }: Posting & { readonly body: Uint8Array },
  signal: AbortSignal,
): Promise<Omit<PostedResult, "duration_ms">> {
  const program = await openEndpoint(services.endpoints, posted, { clock: services.arm_clock, redact }, signal);
  const { bytes } = await program.ask(body, { key: services.entropy(16), signal });
  signal.throwIfAborted();
  // A secret that is cut is known to nobody any more.
  const told = ({ why = "" }: { readonly why?: string | undefined }) => redact(why.toWellFormed());
  if (check.score) {
    const reply = await readJsonReply(Scored, bytes, redact);
    return scored(check, reply.score, told(reply));
  }
  const reply = await readJsonReply(Passed, bytes, redact);
  return { status: reply.pass ? "pass" : "fail", reason: reply.pass ? null : "did not pass", ...whyGiven(told(reply)) };
}

/** @throws what is no fault of the program */
function faultIn(error: unknown, host: string): string {
  if (error instanceof UnusableAnswer) return `${host}: ${error.message}`;
  if (error instanceof Failure) return error.message;
  throw error;
}
