import type { TSchema } from "@sinclair/typebox";
import { Value, type ValueError, ValueErrorType } from "@sinclair/typebox/value";
import { explain, valueInWords } from "../../../domain/schema-error.ts";
import type { FieldPath, Problems } from "../authored/problems.ts";
import { ScenarioFile } from "../authored/scenario-file.ts";

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
