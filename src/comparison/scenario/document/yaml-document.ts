import { LineCounter } from "yaml";
import { Failure } from "../../../domain/failure.ts";
import { inChild } from "../../../runtime/child-work.ts";
import type { FieldPath, Problem, Problems } from "../authored/problems.ts";
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
const LIMITS = { memory_mb: 512, time_ms: 60_000 };

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
