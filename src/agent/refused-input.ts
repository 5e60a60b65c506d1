import { asRecord } from "../domain/lenient.ts";
import type { WireCall } from "../wire/wire.ts";

/**
 * The input of a refused command's call with another command in its place, which says why and fails. It keeps the agent's
 * own shape, so that the agent runs it and reads the refusal. Null where no command is found.
 */
export function refusedInput({ input, unparsed }: WireCall, message: string): object | string | null {
  const command = `echo ${quoted(message)} >&2; exit 126`;
  if (unparsed !== undefined || typeof input === "string") return command;
  const record = asRecord(input);
  const inner = asRecord(record?.["action"]);
  if (record === undefined) return null;
  if (inner !== undefined) return { ...record, action: refusedInput({ id: null, name: "", input: inner }, message) };
  const field = COMMAND_FIELDS.find((name) => record[name] !== undefined);
  return field === undefined ? null : { ...record, [field]: inShapeOf(record[field], command, field) };
}

/** Where agents put what a shell runs. */
const COMMAND_FIELDS = ["command", "cmd", "commands", "script"] as const;

/** A list is one program with its arguments, but `commands` are several lines. */
function inShapeOf(given: unknown, command: string, field: (typeof COMMAND_FIELDS)[number]): unknown {
  if (!Array.isArray(given)) return command;
  return field === "commands" ? [command] : ["sh", "-c", command];
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
