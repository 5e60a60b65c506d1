import type { TSchema } from "@sinclair/typebox";
import { Value, type ValueError, ValueErrorType } from "@sinclair/typebox/value";
import { LineCounter } from "yaml";
import { Failure } from "../../../domain/failure.ts";
import { explain, valueInWords } from "../../../domain/schema-error.ts";
import { inChild } from "../../../runtime/child-work.ts";
import type { FieldPath, Problem, Problems } from "../authored/problems.ts";
import { ScenarioFile } from "../authored/scenario-file.ts";
import { composeYaml, type Place, unreadable, type YamlReading } from "./compose-yaml.ts";

/** 1-based, columns in UTF-16 units, as editors count them. */
interface Position {
  readonly line: number;
  readonly column: number;
}

export interface YamlDocument {
  /** Plain data: maps, lists, text, numbers, booleans, null. Undefined when the text is not YAML. */
  readonly value: unknown;
  /** False when the text is not YAML; the problems say why. */
  readonly readable: boolean;
  position(problem: Problem): Position;
}

/** Characters that are read here: they hold the event loop for some milliseconds. A child takes longer to start. */
const CHARS_HERE = 64_000;

/** The reading ends by itself. A machine that is busy with arms may need a minute for its second. */
const LIMITS = { memory_mb: 512, cpu_ms: 25_000, wait_ms: 60_000 };

/** @throws Failure `overloaded` when this machine is too busy for a long text */
export async function readYaml(text: string, problems: Problems): Promise<YamlDocument> {
  const { value, found, place } = text.length > CHARS_HERE ? await composedElsewhere(text) : await composeYaml(text);
  for (const { path, message, ...where } of found) problems.add(path, message, where);
  let lines: LineCounter | undefined;
  return {
    value,
    readable: value !== undefined,
    position: ({ path, at, offset }) => {
      lines ??= linesOf(text);
      const { line, col } = lines.linePos(offset ?? offsetOf(place, path, at));
      return { line: Math.max(line, 1), column: Math.max(col, 1) };
    },
  };
}

async function composedElsewhere(text: string): Promise<YamlReading> {
  const read = await inChild<YamlReading>("compose-yaml", text, { limits: LIMITS });
  if ("late" in read)
    throw new Failure("overloaded", `reading ${text.length} characters of YAML ${read.late}; try it again`, {
      retryable: true,
    });
  return "over" in read ? unreadable(`reading the file ${read.over}; split it`, 0) : read.value;
}

function linesOf(text: string): LineCounter {
  const lines = new LineCounter();
  for (let start = 0; start >= 0; start = text.indexOf("\n", start) + 1 || -1) lines.addNewLine(start);
  return lines;
}

/** The place of the deepest part of `path` that the text has. */
function offsetOf(whole: Place, path: FieldPath, at: Problem["at"]): number {
  let place = whole;
  let offset = place.at ?? 0;
  for (const [index, step] of path.entries()) {
    const found = typeof step === "number" ? place.within?.[step] : place.within?.find(({ key }) => key === step);
    if (found === undefined) break;
    const isKeyWanted = at === "key" && index === path.length - 1;
    offset = (isKeyWanted ? (found.key_at ?? found.at) : found.at) ?? offset;
    place = found;
  }
  return offset;
}

/** What a kind of file holds. */
interface FileShape {
  readonly schema: TSchema;
  /** `expected a map with ...`, for a file that holds something else. */
  readonly expected: string;
}

const SCENARIO: FileShape = { schema: ScenarioFile, expected: "expected a map with name, task, arms and rubric" };

/** Adds a problem for each value that does not fit the schema. A value with several allowed forms gets one problem. */
export function checkShape(value: unknown, problems: Problems, shape: FileShape = SCENARIO): void {
  const { schema, expected } = shape;
  if (value === null) problems.add([], `the file is empty; ${expected}`);
  else if (typeof value !== "object" || Array.isArray(value))
    problems.add([], `${expected}, got ${valueInWords(value, "yaml")}`);
  else checkFile(schema, value, problems);
}

function checkFile(schema: TSchema, value: object, problems: Problems): void {
  // Nearly every file is sound, and to look for errors takes three times as long.
  if (Value.Check(schema, value)) return;
  for (const error of Value.Errors(schema, value)) {
    addError(error, value, problems);
    if (problems.full) return;
  }
}

function addError(error: ValueError, root: unknown, problems: Problems): void {
  // TypeBox reports a missing property twice: as missing, and as a value of the wrong type.
  if (error.value === undefined && error.type !== ValueErrorType.ObjectRequiredProperty) return;
  if (error.type === ValueErrorType.Union) {
    const meant = meantVariant(error);
    if (meant !== undefined) {
      for (const inner of error.errors[meant] ?? []) addError(inner, root, problems);
      return;
    }
  }
  const path = fieldPath(error.path, root);
  if (problems.saidOf(path)) return;
  const isUnknownKey = error.type === ValueErrorType.ObjectAdditionalProperties;
  problems.add(
    path,
    explain(error, String(path.at(-1) ?? ""), "yaml"),
    isUnknownKey ? { at: "key", harmless: true } : {},
  );
}

/** The index of the form that the author chose, judged by the value's type; undefined when no form has this type. */
function meantVariant({ schema: { anyOf = [] }, value }: ValueError): number | undefined {
  const isMeant = ({ type, const: constant }: TSchema) => constant === undefined && type === typeName(value);
  const index = (anyOf as readonly TSchema[]).findIndex(isMeant); // TypeBox types keywords as any
  return index === -1 ? undefined : index;
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** A JSON pointer as steps; only steps into a list are numbers. */
function fieldPath(pointer: string, root: unknown): FieldPath {
  let value = root;
  return pointer
    .split("/")
    .slice(1)
    .map((part) => {
      const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
      const step = Array.isArray(value) ? Number(key) : key;
      value = typeof value === "object" && value !== null ? Reflect.get(value, step) : undefined;
      return step;
    });
}
