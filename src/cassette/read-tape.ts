import { createReadStream, statSync } from "node:fs";
import type { TSchema } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import { NO_JSON, readBoundedJson } from "../domain/bounded-json.ts";
import { Failure } from "../domain/failure.ts";
import { lines } from "../lines.ts";
import { Pace } from "../pace.ts";
import { hashOf, keyOf } from "./asked.ts";
import { Exchange, Header, MAX_LINE_BYTES, MAX_LINE_VALUES, MAX_TAPE_BYTES, PartLine } from "./lines.ts";

/** A recording as it was read. */
export interface Recording {
  /** For messages: its path below the directory of recordings. */
  readonly name: string;
  readonly header: Header;
  readonly exchanges: readonly Exchange[];
  /** Of the parts, by their hash. */
  readonly texts: ReadonlyMap<string, string>;
}

/**
 * Reads a recording. What a killed process left of a last line does not count.
 * @throws Failure `invalid_request` naming the file and the line, for a file that is none or that somebody changed
 */
export async function readTape(path: string, name: string): Promise<Recording> {
  const refuse = (why: string) => new Failure("invalid_request", `${name}: ${why}`);
  demandFile(path, refuse);
  const exchanges: Exchange[] = [];
  const texts = new Map<string, string>();
  let header: Header | undefined;
  let number = 0;
  const tooLong = () => {
    throw refuse(`line ${number + 1} has more than ${MAX_LINE_BYTES} bytes; no recording has`);
  };
  const pace = new Pace();
  for await (const bytes of lines(createReadStream(path), MAX_LINE_BYTES, tooLong)) {
    number += 1;
    await pace.bytes(bytes.length);
    const json = readBoundedJson(bytes, LINE);
    if ("fault" in json && json.fault !== NO_JSON) throw refuse(`line ${number} has ${json.fault}; no recording has`);
    const line = "value" in json ? json.value : undefined;
    header ??= headerOf(line, refuse);
    if (number === 1) continue;
    const fault = take(line, exchanges, texts);
    if (fault !== undefined) throw refuse(`line ${number} ${fault}; record it again`);
  }
  if (header === undefined) throw refuse("is no recording: it is empty");
  return { name, header, exchanges, texts };
}

/** Streams of replies are full of quotes and line ends, which stand escaped in their line. */
const LINE = { bytes: MAX_LINE_BYTES, values: MAX_LINE_VALUES, escapes: MAX_LINE_BYTES };

type Refuse = (why: string) => Failure;

function demandFile(path: string, refuse: Refuse): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw refuse("there is no such recording");
  if (!stats.isFile()) throw refuse("is no file");
  if (stats.size > MAX_TAPE_BYTES) throw refuse(`has more than ${MAX_TAPE_BYTES} bytes; no recording has`);
}

function headerOf(line: unknown, refuse: Refuse): Header {
  if (fits(Header, line)) return line;
  const version = (line as { cassette?: unknown } | null | undefined)?.cassette;
  if (typeof version === "number")
    throw refuse(`has version ${version} of the format, which this abeval does not read; record it again`);
  throw refuse("is no recording of abeval");
}

/** Keeps what a line says; in words what is wrong with it. */
function take(line: unknown, exchanges: Exchange[], texts: Map<string, string>): string | undefined {
  if (fits(PartLine, line)) {
    texts.set(line.part, line.text);
    return hashOf(line.text) === line.part ? undefined : "was changed: its text has another hash";
  }
  if (!fits(Exchange, line)) return "is not one of a recording";
  exchanges.push(line);
  if (line.parts.some(([, hash]) => !texts.has(hash))) return "was changed: a part of its request is missing before it";
  return keyOf(line) === line.key ? undefined : "was changed: its request has another key";
}

const compiled = new Map<TSchema, TypeCheck<TSchema>>();

function fits<T extends TSchema>(schema: T, value: unknown): value is T["static"] {
  const check = compiled.get(schema) ?? TypeCompiler.Compile<TSchema>(schema);
  compiled.set(schema, check);
  return check.Check(value);
}
