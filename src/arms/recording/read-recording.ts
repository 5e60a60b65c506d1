import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import type { TSchema } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import { type BoundedJson, isMalformed, readBoundedJson } from "../../domain/bounded-json.ts";
import { errorCode, Failure, wordsOf } from "../../domain/failure.ts";
import { asRecord } from "../../domain/lenient.ts";
import { shortage } from "../../domain/shortage.ts";
import { lines } from "../../runtime/lines.ts";
import { Pace } from "../../runtime/pace.ts";
import {
  Exchange,
  Header,
  LINE_LIMITS,
  MAX_LINE_BYTES,
  MAX_RECORDING_BYTES,
  PartLine,
  RECORDING_VERSION,
} from "./lines.ts";
import { hashOf, keyOf } from "./matching/asked.ts";

/** A recording as it was read. */
export interface RecordedFile {
  /** Its path below the directory of recordings, which messages show. */
  readonly name: string;
  readonly header: Header;
  readonly exchanges: readonly Exchange[];
  /** The texts of the parts, by their hash. */
  readonly texts: ReadonlyMap<string, string>;
}

/**
 * Reads a recording. What a killed process left of a last line does not count.
 * @throws Failure `invalid_request` naming the file and the line, for a file that is none or that somebody changed
 */
export async function readRecording(path: string, name: string): Promise<RecordedFile> {
  const refuse = (why: string) => new Failure("invalid_request", `${name}: ${why}`);
  const file = await openFile(path, refuse);
  try {
    return await readLines(file, name, refuse);
  } finally {
    await file.close();
  }
}

/** What a recording says first: whose it is and what it holds for. @throws Failure `invalid_request` for a file that is none */
export async function readHeader(path: string, name: string): Promise<Header> {
  const refuse = (why: string) => new Failure("invalid_request", `${name}: ${why}`);
  const file = await openFile(path, refuse);
  const tooLong = () => {
    throw refuse("is no recording of abeval: its first line is too long");
  };
  try {
    for await (const bytes of lines(file.createReadStream({ autoClose: false }), HEADER_BYTES, tooLong))
      return headerOf(bytes, readBoundedJson(bytes, LINE_LIMITS), refuse);
    throw refuse("is no recording: it is empty");
  } finally {
    await file.close();
  }
}

/** It holds some twenty hashes. */
const HEADER_BYTES = 64 * 1024;

type Refuse = (why: string) => Failure;

/** Neither waits for a pipe nor follows a link: a directory of recordings may come from anybody. */
async function openFile(path: string, refuse: Refuse): Promise<FileHandle> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (error: unknown) => {
      throw (
        shortage(error) ??
        refuse(REASONS.get(errorCode(error) ?? "") ?? `cannot be read (${errorCode(error) ?? wordsOf(error)})`)
      );
    },
  );
  const stats = await file.stat();
  const fault = stats.isFile() ? undefined : "is no file; put the recording itself there";
  if (fault === undefined && stats.size <= MAX_RECORDING_BYTES) return file;
  await file.close();
  throw refuse(fault ?? `has ${stats.size} bytes, at most ${MAX_RECORDING_BYTES} are read; no recording has more`);
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "there is no such recording"],
  ["ELOOP", "is a link; put the recording itself there"],
  ["ENXIO", "is no file; put the recording itself there"],
]);

async function readLines(file: FileHandle, name: string, refuse: Refuse): Promise<RecordedFile> {
  const recording = new RecordingSoFar();
  const pace = new Pace();
  let number = 0;
  const take = (bytes: Uint8Array) => {
    if (number > MAX_LINES) throw refuse(`has more than ${MAX_LINES} lines; no recording has`);
    const read = readBoundedJson(bytes, LINE_LIMITS);
    if (number === 1) recording.header = headerOf(bytes, read, refuse);
    else recording.take(read, (why) => refuse(`line ${number} ${why}`));
  };
  const tooLong = () => {
    throw refuse(`line ${number + 1} has more than ${MAX_LINE_BYTES} bytes; no recording has`);
  };
  for await (const bytes of lines(file.createReadStream({ autoClose: false }), MAX_LINE_BYTES, tooLong)) {
    number += 1;
    await pace.bytes(bytes.length);
    take(bytes);
  }
  const { header, exchanges, texts } = recording;
  if (header === undefined) throw refuse("is no recording: it is empty");
  return { name, header, exchanges, texts };
}

/** Lines of a file. A run of a thousand requests has some ten thousand. */
const MAX_LINES = 250_000;

function headerOf(bytes: Uint8Array, read: BoundedJson, refuse: Refuse): Header {
  const line = "value" in read ? read.value : undefined;
  if (fits(Header, line)) return line;
  const version = asRecord(line)?.["cassette"];
  if (typeof version === "number" && version !== RECORDING_VERSION)
    throw refuse(`has version ${version} of the format, which this abeval does not read; record it again`);
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) throw refuse("is no recording as it is: unpack it, it is gzip");
  throw refuse("is no recording of abeval: its first line is no header");
}

/** What was read of a recording. Equal texts are kept once. */
class RecordingSoFar {
  header: Header | undefined;
  readonly exchanges: Exchange[] = [];
  readonly texts = new Map<string, string>();
  readonly #words = new Map<string, string>();

  /** Keeps what a line after the first says. */
  take(read: BoundedJson, refuse: Refuse): void {
    if ("fault" in read && !isMalformed(read.fault)) throw refuse(`has ${read.fault}; no recording has`);
    const fault = "fault" in read ? `has ${read.fault}` : this.#faultOf(read.value);
    if (fault !== undefined) throw refuse(`${fault}; record it again`);
  }

  /** Keeps it, or says what is wrong with it. */
  #faultOf(line: unknown): string | undefined {
    if (fits(PartLine, line)) {
      if (!line.text.isWellFormed()) return "was changed: its text has half a character";
      this.texts.set(this.#once(line.part), line.text);
      return hashOf(line.text) === line.part ? undefined : "was changed: its text has another hash";
    }
    if (!fits(Exchange, line)) return "is not one of a recording";
    const next = this.exchanges.length + 1;
    if (line.n !== next)
      return `was moved, repeated or follows a lost one: it has number ${line.n}, and ${next} comes next`;
    if (!line.body.isWellFormed()) return "was changed: its reply has half a character";
    if (line.parts.some(([, hash]) => !this.texts.has(hash)))
      return "was changed: a part of its request is missing before it";
    const parts = line.parts.map(([place, hash]): [string, string] => [this.#once(place), this.#once(hash)]);
    this.exchanges.push({ ...line, parts });
    return keyOf(line) === line.key ? undefined : "was changed: its request has another key";
  }

  #once(word: string): string {
    const known = this.#words.get(word);
    if (known === undefined) this.#words.set(word, word);
    return known ?? word;
  }
}

const compiled = new Map<TSchema, TypeCheck<TSchema>>();

function fits<T extends TSchema>(schema: T, value: unknown): value is T["static"] {
  const check = compiled.get(schema) ?? TypeCompiler.Compile<TSchema>(schema);
  compiled.set(schema, check);
  return check.Check(value);
}
