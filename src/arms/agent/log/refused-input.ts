import { asRecord, type LooseRecord } from "../../../domain/lenient.ts";
import type { WireCall } from "../../wire/wire.ts";

/**
 * The input of a refused command's call with another command in its place, which says why and fails. It keeps the agent's
 * own shape, so that the agent runs it and reads the refusal. Null where no command is found.
 */
export function refusedInput({ input, unparsed }: WireCall, message: string): object | string | null {
  const command = `echo ${quoted(message)} >&2; exit 126`;
  if (unparsed !== undefined || typeof input === "string") return command;
  return exchanged(asRecord(input), command);
}

/** Every field that may hold the command: nobody knows which one the agent runs. */
function exchanged(record: LooseRecord | undefined, command: string): LooseRecord | null {
  if (record === undefined) return null;
  const action = exchanged(asRecord(record["action"]), command);
  const fields = COMMAND_FIELDS.filter((name) => record[name] !== undefined);
  const named = fields.length > 0 || action !== null ? fields : onlyText(record);
  if (named.length === 0 && action === null) return null;
  const instead = named.map((name) => [name, inShapeOf(record[name], command, name)]);
  return { ...record, ...(action && { action }), ...Object.fromEntries(instead) };
}

/** Where agents put what a shell runs, or what is typed into one that runs. */
const COMMAND_FIELDS: readonly string[] = ["command", "cmd", "commands", "script", "chars", "input"];

/** The text that rules were checked against, for a shell whose field for the command is unknown. */
const onlyText = (record: LooseRecord): readonly string[] =>
  Object.keys(record)
    .filter((name) => typeof record[name] === "string")
    .slice(0, 1);

/** A list is one program with its arguments, but `commands` are several lines. What is typed is sent by its end of line. */
function inShapeOf(given: unknown, command: string, field: string): unknown {
  if (Array.isArray(given)) return field === "commands" ? [command] : ["sh", "-c", command];
  return field === "chars" ? `${command}\n` : command;
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
