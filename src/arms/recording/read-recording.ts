import type { TSchema } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import { errorCode, Failure, wordsOf } from "../../domain/failure.ts";
import { asRecord } from "../../domain/lenient.ts";
import { shortage } from "../../domain/shortage.ts";
import { fileChunks } from "../../runtime/bounded-file.ts";
import { type BoundedJson, isMalformed } from "../../runtime/bounded-json.ts";
import { jsonLines } from "../../runtime/lines.ts";
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
  const recording = new RecordingSoFar();
  const tooLong = (number: number) => {
    throw refuse(`line ${number} has more than ${MAX_LINE_BYTES} bytes; no recording has`);
  };
  for await (const { number, bytes, json } of jsonLines(bytesOf(path, refuse), LINE_LIMITS, tooLong)) {
    if (number > MAX_LINES) throw refuse(`has more than ${MAX_LINES} lines; no recording has`);
    if (number === 1) recording.header = headerOf(bytes, json, refuse);
    else recording.take(json, (why) => refuse(`line ${number} ${why}`));
  }
  const { header, exchanges, texts } = recording;
  if (header === undefined) throw refuse("is no recording: it is empty");
  return { name, header, exchanges, texts };
}

/** Lines of a file. A run of a thousand requests has some ten thousand. */
const MAX_LINES = 250_000;

/** What a recording says first: whose it is and what it holds for. @throws Failure `invalid_request` for a file that is none */
export async function readHeader(path: string, name: string): Promise<Header> {
  const refuse = (why: string) => new Failure("invalid_request", `${name}: ${why}`);
  const limits = { ...LINE_LIMITS, bytes: HEADER_BYTES };
  const tooLong = () => {
    throw refuse("is no recording of abeval: its first line is too long");
  };
  for await (const { bytes, json } of jsonLines(bytesOf(path, refuse), limits, tooLong))
    return headerOf(bytes, json, refuse);
  throw refuse("is no recording: it is empty");
}

/** It holds some twenty hashes. */
const HEADER_BYTES = 64 * 1024;

type Refuse = (why: string) => Failure;

/** Neither waits for a pipe nor follows a link: a directory of recordings may come from anybody. */
async function* bytesOf(path: string, refuse: Refuse): AsyncGenerator<Uint8Array, void, void> {
  const refuseFile = (bytes?: number) =>
    bytes === undefined
      ? refuse(NO_FILE)
      : refuse(`has ${bytes} bytes, at most ${MAX_RECORDING_BYTES} are read; no recording has more`);
  try {
    yield* fileChunks(path, { most: MAX_RECORDING_BYTES, refuse: refuseFile, no_link: true });
  } catch (error) {
    if (error instanceof Failure) throw error;
    const code = errorCode(error);
    throw shortage(error) ?? refuse(REASONS.get(code ?? "") ?? `cannot be read (${code ?? wordsOf(error)})`);
  }
}

const NO_FILE = "is no file; put the recording itself there";

const REASONS: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "there is no such recording"],
  ["ELOOP", "is a link; put the recording itself there"],
  ["ENXIO", NO_FILE],
]);

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
