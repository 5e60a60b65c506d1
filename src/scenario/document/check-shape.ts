import type { TSchema } from "@sinclair/typebox";
import { Value, type ValueError, ValueErrorType } from "@sinclair/typebox/value";
import { ScenarioFile } from "../../domain/scenario-file.ts";
import type { FieldPath, Problems } from "../problems.ts";
import { explain } from "./explain.ts";
import { inWords } from "./words.ts";

/** What a kind of file holds. */
export interface FileShape {
  readonly schema: TSchema;
  /** `expected a map with ...`, for a file that holds something else. */
  readonly expected: string;
}

const SCENARIO: FileShape = { schema: ScenarioFile, expected: "expected a map with name, task, arms and rubric" };

/** Adds what does not fit the schema, in plain words; a value that could be written in several ways is explained once. */
export function checkShape(value: unknown, problems: Problems, shape: FileShape = SCENARIO): void {
  const { schema, expected } = shape;
  if (value === null) problems.add([], `the file is empty; ${expected}`);
  else if (typeof value !== "object" || Array.isArray(value)) problems.add([], `${expected}, got ${inWords(value)}`);
  else checkFile(schema, value, problems);
}

function checkFile(schema: TSchema, value: object, problems: Problems): void {
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
  problems.add(path, explain(error, String(path.at(-1) ?? "")), isUnknownKey ? { at: "key", harmless: true } : {});
}

/** Which of several ways to write a value the author took, by its type alone; undefined when it is none of them. */
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
