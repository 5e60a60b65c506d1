import { randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ArmContext, FunctionFailure, Message, Row } from "./api.ts";
import { type Functions, HIDDEN, rowsById } from "./functions.ts";
import { gradesFirst, markedBy } from "./marked.ts";

/** Bytes of a question, with all that was said before. */
const QUESTION_BYTES = 16 * 1024 * 1024;
/** As abeval reads of one. */
const ANSWER_CHARS = 200_000;
/** Characters of what somebody threw. */
const THROWN_CHARS = 500;
/** Failures that are told of. */
const MOST_FAILURES = 1_000;

export const SECRET_HEADER = "x-abeval-secret";

export interface Served {
  /** Without a path. */
  readonly url: string;
  /** What every question has as `SECRET_HEADER`; others are refused. */
  readonly secret: string;
  close(): Promise<void>;
}

export interface Serving {
  readonly functions: Functions;
  readonly rows: readonly Row[];
  readonly hide: readonly string[] | undefined;
  /** Checks that give a number. */
  readonly graded: Set<string>;
  /** Answers from before it was known which checks do. */
  readonly kept: KeptAnswers;
  /** What threw is put here. */
  readonly failures: FunctionFailure[];
  /** A check gave the first number. */
  readonly onGraded: () => void;
}

/** What was answered before it was known which checks give a number, so that nobody answers twice for finding it out. */
export class KeptAnswers {
  readonly #unseen: Set<string>;
  readonly #replies = new Map<string, Promise<unknown>>();

  /** @param checks whose kind is not known */
  constructor(checks: readonly string[]) {
    this.#unseen = new Set(checks);
  }

  /** @param key of arm, row and trial */
  answer(key: string, ask: () => Promise<unknown>): Promise<unknown> {
    const before = this.#replies.get(key);
    if (before !== undefined) return before;
    const reply = ask();
    if (this.#unseen.size > 0) this.#replies.set(key, reply);
    return reply;
  }

  seen(check: string): void {
    this.#unseen.delete(check);
  }
}

/** What abeval asks, as far as it is read. */
interface Question extends Omit<ArmContext, "signal"> {
  readonly input: { readonly id: string };
  readonly messages: readonly Message[];
  readonly follow_up: number;
  readonly answer: string | null;
}

/** The functions as endpoints of abeval, for whoever knows the secret, on this machine alone. */
export async function serve(serving: Serving): Promise<Served> {
  const secret = randomBytes(32).toString("hex");
  const replies = repliesOf(serving);
  const fail = (failure: FunctionFailure) => serving.failures.length < MOST_FAILURES && serving.failures.push(failure);
  const server = createServer((request, response) => {
    void (isTold(request, secret)
      ? reply({ replies, fail }, request, response)
      : end(response, 403, "not yours to ask"));
  });
  // An answer takes as long as abeval waits for it.
  Object.assign(server, { requestTimeout: 0, timeout: 0, keepAliveTimeout: 60_000 });
  await new Promise<void>((listening, failed) => {
    server.once("error", failed).listen(0, "127.0.0.1", listening);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    secret,
    async close() {
      const closed = new Promise((done) => server.close(done));
      server.closeAllConnections();
      await closed;
    },
  };
}

function isTold({ headers }: IncomingMessage, secret: string): boolean {
  const given = Buffer.from(String(headers[SECRET_HEADER] ?? ""));
  return given.length === secret.length && timingSafeEqual(given, Buffer.from(secret));
}

type Ask = (question: Question, signal: AbortSignal) => Promise<unknown>;

/** A function, and how what it throws is told. */
interface Asked {
  readonly ask: Ask;
  readonly of: Pick<FunctionFailure, "arm" | "check">;
}

type Replies = ReadonlyMap<string, Asked>;

function repliesOf({ functions, rows, hide = HIDDEN, graded, kept, onGraded }: Serving): Replies {
  const known = rowsById(rows);
  const shown = rowsById(
    rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !hide.includes(name)))),
  );
  // Nobody sees what another one changes in a row.
  const copied = (from: ReadonlyMap<string, Row>, { input }: Question) => structuredClone(from.get(input.id) ?? {});
  const arms = functions.arms.map(({ id, run }) => {
    const ask = async (question: Question, signal: AbortSignal) => {
      const { trial, seed, messages, follow_up, input } = question;
      const asked = async () => await run(copied(shown, question), { trial, seed, messages, signal });
      return answered(await kept.answer(JSON.stringify([id, input.id, trial, follow_up]), asked));
    };
    return [pathOf("arm", id), { ask, of: { arm: id } }] as const;
  });
  const checks = functions.checks.map((check) => {
    const ask = async (question: Question) => {
      const { answer } = question;
      if (answer === null) return markedBy(check, graded, null);
      const given = await check.run(answer, copied(known, question));
      const isNew = gradesFirst(check, graded, given);
      kept.seen(check.id);
      if (isNew) onGraded();
      return markedBy(check, graded, given);
    };
    return [pathOf("check", check.id), { ask, of: { check: check.id } }] as const;
  });
  return new Map<string, Asked>([...arms, ...checks]);
}

export const pathOf = (kind: "arm" | "check", id: string) => `/${kind}/${encodeURIComponent(id)}`;

/** @throws TypeError for what is no answer */
function answered(given: unknown): object {
  const reply = typeof given === "string" ? { answer: given } : given;
  if (typeof reply !== "object" || reply === null || !("answer" in reply))
    throw new TypeError(`the function returned ${kindOf(given)}; return a text or {answer}`);
  const { answer } = reply;
  if (typeof answer === "string" && answer.length > ANSWER_CHARS)
    throw new TypeError(`the answer has ${answer.length} characters; at most ${ANSWER_CHARS} are read`);
  return reply;
}

function kindOf(given: unknown): string {
  if (given === undefined) return "nothing";
  if (given === null) return "null";
  return typeof given === "object" ? "an object without answer" : `a ${typeof given}`;
}

interface Replying {
  readonly replies: Replies;
  readonly fail: (failure: FunctionFailure) => void;
}

async function reply({ replies, fail }: Replying, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const asked = replies.get(request.url ?? "");
  if (request.method !== "POST" || asked === undefined) return end(response, 404, "there is no such function");
  const gone = new AbortController();
  let of: Omit<FunctionFailure, "message" | "error"> = asked.of;
  response.once("close", () => {
    if (response.writableFinished) return;
    const error = new Error("gave nothing while it was waited for");
    fail({ ...of, message: error.message, error });
    gone.abort(error);
  });
  try {
    const body = await bodyOf(request);
    if (body === undefined) return end(response, 413, `more than ${QUESTION_BYTES} bytes are asked`);
    const question: Question = JSON.parse(body);
    of = { ...of, row: question.input.id, ...(question.trial !== undefined && { trial: question.trial }) };
    end(response, 200, JSON.stringify(await asked.ask(question, gone.signal)), "application/json");
  } catch (error) {
    const message = thrownText(error);
    if (!gone.signal.aborted) fail({ ...of, message, error });
    end(response, 500, message);
  }
}

/** Undefined where there are too many bytes. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request) {
    bytes += part.length;
    if (bytes > QUESTION_BYTES) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

function end(response: ServerResponse, status: number, body: string, type = "text/plain; charset=utf-8"): void {
  response.writeHead(status, { "content-type": type }).end(body);
}

/** What was thrown, in one line. */
const thrownText = (error: unknown): string =>
  (String(error).replace(/\s+/g, " ").trim() || "an error without words").slice(0, THROWN_CHARS);
