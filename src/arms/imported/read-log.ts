import { createHash } from "node:crypto";
import type { PathLike } from "node:fs";
import { asRecord, type LooseRecord } from "../../domain/lenient.ts";
import type { LogForm } from "../../domain/ran.ts";
import { fileChunks } from "../../runtime/bounded-file.ts";
import { isMalformed, readBoundedJson } from "../../runtime/bounded-json.ts";
import { lines, terminated } from "../../runtime/lines.ts";
import { Pace } from "../../runtime/pace.ts";
import { redactKeyShapes } from "../model/redaction.ts";
import { atifLog, atifVersion, isAtif } from "./forms/atif.ts";
import { claudeCodeLog, isClaudeLine } from "./forms/claude-code.ts";
import { codexLog, isCodexLine } from "./forms/codex.ts";
import { emptyLog, type LogContents, type LogReader, type LogStep } from "./log-step.ts";

/** What a log says, and where it ends. */
export interface ReadLog extends LogContents {
  readonly form: LogForm;
  /** SHA-256 of its bytes. */
  readonly digest: string;
  /** It ends in the middle of a line. */
  readonly broken_off: boolean;
}

/** A log that cannot be read; the message says why, without its name. */
export class LogFault extends Error {
  override readonly name = "LogFault";
}

/** Bytes of a log. A session of a day has some megabytes. */
const LOG_BYTES = 64 * 1024 * 1024;

/** The limits of a line, and of a log that is one document. */
const JSON_LIMITS = { bytes: 8 * 1024 * 1024, values: 100_000 };

/** Lines, the empty ones too: each costs time and memory, however short it is. Those of a long session have a few hundred bytes each. */
const MOST_LINES = 500_000;

/** Turns and results that are told of. Long sessions have some hundreds. */
const MOST_STEPS = 20_000;

/** Calls and characters of one turn. Agents call a handful of tools at a time; a model says some thousands of characters. */
const TURN = { calls: 200, chars: 1024 * 1024 };

/**
 * Reads a log, which may hold anything: its content says in which form it is. Never waits for a pipe.
 * @throws LogFault when it is too large, is of no form that is known, or has a line that is no JSON
 */
export async function readLog(path: PathLike): Promise<ReadLog> {
  const hash = createHash("sha256");
  const reading = new Reading();
  await reading.all(hashed(fileChunks(path, { most: LOG_BYTES, refuse }), hash));
  return { ...reading.finished(), digest: hash.digest("hex") };
}

const refuse = (bytes?: number) =>
  bytes === undefined
    ? new LogFault("is not a regular file")
    : new LogFault(`has ${megabytes(bytes)} MiB; a log of at most ${megabytes(LOG_BYTES)} MiB is read`);

const megabytes = (bytes: number) => Math.ceil(bytes / (1024 * 1024));

async function* hashed(chunks: AsyncIterable<Uint8Array>, hash: { update(chunk: Uint8Array): unknown }) {
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
}

class Reading {
  readonly #log = emptyLog();
  readonly #pace = new Pace();
  #reader: LogReader | undefined;
  #line = 0;
  /** Why the last line is no JSON; another line after it makes it a fault. */
  #broken: LogFault | undefined;
  /** Lines of what may be one document. */
  #document: Uint8Array[] | undefined;
  #bytes = 0;

  async all(chunks: AsyncIterable<Uint8Array>): Promise<void> {
    const tooLong = () => {
      throw new LogFault(`line ${this.#line + 1}: has more than ${megabytes(JSON_LIMITS.bytes)} MiB`);
    };
    for await (const bytes of lines(terminated(chunks), JSON_LIMITS.bytes, tooLong)) {
      this.#line += 1;
      if (this.#line > MOST_LINES) throw new LogFault(`has more than ${MOST_LINES} lines`);
      await this.#pace.bytes(bytes.length * PARSING_COST);
      if (bytes.every((byte) => byte === 0x20 || byte === 0x0d || byte === 0x09)) continue;
      this.#take(bytes);
      checkCount(this.#log.steps.length, "turns and results");
    }
    if (this.#document) this.#readDocument(Buffer.concat(this.#document));
  }

  #take(bytes: Uint8Array): void {
    if (this.#document) {
      this.#keep(bytes);
      return;
    }
    if (this.#broken !== undefined) throw this.#broken;
    const json = readBoundedJson(bytes, JSON_LIMITS);
    const line = "fault" in json ? undefined : asRecord(json.value);
    if (line === undefined) {
      const fault = "fault" in json ? json.fault : "is no JSON object";
      if (this.#reader === undefined) {
        this.#begin(bytes, fault);
        return;
      }
      const broken = new LogFault(`line ${this.#line}: ${fault}`);
      if (!("fault" in json && isMalformed(json.fault))) throw broken;
      this.#broken = broken;
      return;
    }
    this.#reader ??= this.#readerOf(line);
    this.#reader.read(line);
  }

  /** The first line is no object of its own, so that the file may be a document over many lines. */
  #begin(bytes: Uint8Array, fault: string): void {
    if (bytes[0] !== OPENING) throw new LogFault(`line ${this.#line}: ${fault}; ${EXPECTED}`);
    this.#document = [];
    this.#keep(bytes);
  }

  #keep(bytes: Uint8Array): void {
    this.#bytes += bytes.length + 1;
    if (this.#bytes > JSON_LIMITS.bytes)
      throw new LogFault(`is one document of more than ${megabytes(JSON_LIMITS.bytes)} MiB`);
    this.#document?.push(Uint8Array.from(bytes), NEWLINE);
  }

  #readDocument(bytes: Uint8Array): void {
    const json = readBoundedJson(bytes, JSON_LIMITS);
    if ("fault" in json) throw new LogFault(`${json.fault}; ${EXPECTED}`);
    const document = asRecord(json.value) ?? {};
    this.#reader = this.#readerOf(document);
    this.#reader.read(document);
  }

  #readerOf(first: LooseRecord): LogReader {
    if (isAtif(first)) {
      const version = atifVersion(first) ?? "";
      if (!version.startsWith("1.")) throw new LogFault(`is of ATIF ${version}; abeval reads version 1`);
      return atifLog(this.#log);
    }
    if (isClaudeLine(first)) return claudeCodeLog(this.#log);
    if (isCodexLine(first)) return codexLog(this.#log);
    throw new LogFault(`is of a form, or of a version, that abeval does not know; ${EXPECTED}`);
  }

  finished(): Omit<ReadLog, "digest"> {
    if (this.#reader === undefined) throw new LogFault(`is empty; ${EXPECTED}`);
    if (!this.#log.steps.some(({ kind }) => kind === "turn"))
      throw new LogFault("holds no turn of a model: the session never ran, or another version wrote it");
    checkSteps(this.#log.steps);
    const { agent, version, model } = this.#log;
    // A log can name anything a model, a key too.
    const names = { agent: name(agent), version: name(version), model: name(model) };
    return { ...this.#log, ...names, form: this.#reader.form, broken_off: this.#broken !== undefined };
  }
}

function checkCount(count: number, what: string): void {
  if (count > MOST_STEPS) throw new LogFault(`has more than ${MOST_STEPS} ${what}; split the session`);
}

/** Once all is read: later lines add to a turn, and a document adds all its steps at once. */
function checkSteps(steps: readonly LogStep[]): void {
  checkCount(steps.length, "turns and results");
  const turns = steps.filter((step) => step.kind === "turn");
  for (const [at, { calls, text }] of turns.entries()) {
    if (calls.length > TURN.calls)
      throw new LogFault(`turn ${at + 1}: has ${calls.length} calls; at most ${TURN.calls} in one turn are read`);
    if (text.length > TURN.chars)
      throw new LogFault(`turn ${at + 1}: says ${text.length} characters; at most ${TURN.chars} in one turn are read`);
  }
  checkCount(
    turns.reduce((sum, { calls }) => sum + calls.length, 0),
    "calls",
  );
}

const name = (text: string | null) => (text === null ? null : redactKeyShapes(text));

const OPENING = "{".charCodeAt(0);
const NEWLINE = new TextEncoder().encode("\n");

/** Parsing takes as long as reading so many times the bytes. */
const PARSING_COST = 8;

const EXPECTED = "expected a trajectory in ATIF, or the session's JSONL of Claude Code or Codex";
