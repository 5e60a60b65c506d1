import { lstatSync, readFileSync } from "node:fs";
import { extname, join, posix } from "node:path";
import { Lexer, parseDocument } from "yaml";
import { Failure, wordsOf } from "../../domain/failure.ts";
import { asRecord } from "../../domain/lenient.ts";
import { readBoundedJson } from "../../runtime/bounded-json.ts";
import type { FileSource } from "../workspace/workspace.ts";

/** What people write by hand is far below it. */
const SETTINGS_BYTES = 2 ** 20;
const SETTINGS_VALUES = 100_000;

/** Keys, values and signs of YAML: its parser takes seconds for some hundred thousand. */
const YAML_BYTES = 2 ** 18;
const YAML_PARTS = 5_000;

/** Lists in lists: its parser's time is their product. */
const YAML_LEVELS = 100;

/**
 * The files that a recipe puts into its agent's home, over what the scenario's `files` hold at the same paths: the user's
 * settings stay, and the recipe's keys win.
 * @throws Failure `invalid_request` for a file of the user's that is too large, or cannot be read as its kind
 */
export function settingsOver(home: Readonly<Record<string, string>>, theirs: FileSource): Record<string, string> {
  return Object.fromEntries(
    Object.entries(home).map(([path, ours]) => {
      const bytes = bytesAt(theirs, path);
      return [path, bytes === undefined ? ours : merged(path, bytes, ours)];
    }),
  );
}

/** Undefined where there is none. Inline files lie over those of a directory. */
function bytesAt({ dir, files }: FileSource, path: string): Uint8Array | undefined {
  const inline = Object.entries(files).find(([name]) => posix.normalize(name) === path)?.[1];
  const size = inline === undefined ? sizeAt(dir, path) : Buffer.byteLength(inline);
  if (size === undefined) return undefined;
  if (size > SETTINGS_BYTES) throw refused(path, `has ${size} bytes, and settings may have ${SETTINGS_BYTES}`);
  return inline === undefined ? readFileSync(join(dir ?? "", path)) : Buffer.from(inline);
}

function sizeAt(dir: string | null, path: string): number | undefined {
  const entry = dir === null ? undefined : lstatSync(join(dir, path), { throwIfNoEntry: false });
  return entry?.isFile() ? entry.size : undefined;
}

/** A text that is no settings file is the recipe's alone. YAML is written as JSON, which it can hold. */
function merged(path: string, bytes: Uint8Array, ours: string): string {
  const kind = extname(path);
  if (kind !== ".json" && kind !== ".yaml") return ours;
  return JSON.stringify(overlaid(READERS[kind](path, bytes), JSON.parse(ours)), null, 2);
}

type Settings = Readonly<Record<string, unknown>>;

const READERS: Readonly<Record<".json" | ".yaml", (path: string, bytes: Uint8Array) => Settings>> = {
  ".json": (path, bytes) => {
    const read = readBoundedJson(bytes, { bytes: SETTINGS_BYTES, values: SETTINGS_VALUES });
    if ("fault" in read) throw refused(path, `cannot be read: ${read.fault}`);
    return settings(path, read.value);
  },
  ".yaml": (path, bytes) => {
    if (bytes.length > YAML_BYTES)
      throw refused(path, `has ${bytes.length} bytes, and settings in YAML may have ${YAML_BYTES}`);
    const text = Buffer.from(bytes).toString();
    const beyond = beyondLimits(text);
    if (beyond !== undefined) throw refused(path, `has more than ${beyond}`);
    // Lists in lists and texts that are named again and again are a thousand times as long when they are written.
    return READERS[".json"](path, Buffer.from(JSON.stringify(yamlIn(path, text) ?? {})));
  },
};

function yamlIn(path: string, text: string): unknown {
  try {
    // A thousand mistakes with their places drawn take a tenth of a second, and the first is enough.
    const document = parseDocument(text, { stringKeys: true, prettyErrors: false });
    const [fault] = document.errors;
    if (fault === undefined) return document.toJS();
    throw new Error(`${fault.message} (line ${text.slice(0, fault.pos[0]).split("\n").length})`);
  } catch (error) {
    throw refused(path, `is no valid YAML: ${wordsOf(error).split("\n")[0]}`);
  }
}

/** The lexer is lazy, so it reads no further than the limit. */
function beyondLimits(text: string): string | undefined {
  let [parts, level] = [0, 0];
  for (const part of new Lexer().lex(text)) {
    parts += 1;
    if (part === "[" || part === "{") level += 1;
    if (part === "]" || part === "}") level -= 1;
    if (parts > YAML_PARTS) return `${YAML_PARTS} keys, values and signs`;
    if (level > YAML_LEVELS) return `${YAML_LEVELS} lists and maps in one another`;
  }
  return undefined;
}

function settings(path: string, value: unknown): Settings {
  const map = asRecord(value);
  if (map === undefined) throw refused(path, "must hold a map of settings");
  return map;
}

const overlaid = (theirs: Settings, ours: Settings): Settings => ({
  ...theirs,
  ...Object.fromEntries(
    Object.entries(ours).map(([key, value]) => {
      const [own, other] = [asRecord(value), Object.hasOwn(theirs, key) ? asRecord(theirs[key]) : undefined];
      return [key, own && other ? overlaid(other, own) : value];
    }),
  ),
});

const refused = (path: string, why: string) =>
  new Failure(
    "invalid_request",
    `agent.files: ${path} ${why}. abeval must add its settings to this file; correct the file, or leave it out`,
  );
