import type { Scenario } from "../../../../domain/scenario.ts";
import type { SessionOutcome } from "../../../../domain/session.ts";
import { type FileChange, textChange } from "../../diff/file-change.ts";
import type { PairOf } from "./kinship.ts";

/** What differs between the definitions that two runs of a scenario had, part by part, as lines of text. */
export function definitionChanges([one, other]: PairOf<SessionOutcome>): readonly FileChange[] {
  const [before, after] = [partsOf(one.definition), partsOf(other.definition)];
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((part) => {
    const change = textChange(`${part}.yaml`, { before: before.get(part) ?? null, after: after.get(part) ?? null });
    return change ?? [];
  });
}

/** Arms by their ids, so that each is compared with the one of its name. */
function partsOf({ arms, task, rubric, policies, replay: _, ...about }: Scenario): ReadonlyMap<string, string> {
  return new Map([
    ...arms.map((arm) => [`arm ${arm.id}`, readable(arm)] as const),
    ["task", readable(task)],
    ["rubric", readable(rubric)],
    ["policies", readable(policies)],
    ["scenario", readable(about)],
  ]);
}

/** A value as indented lines: a name on each, texts of several lines below their name. Equal values give equal text. */
export const readable = (value: unknown): string => `${linesOf(value).join("\n")}\n`;

function linesOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.length === 0 ? ["[]"] : value.flatMap((item) => indented("- ", linesOf(item)));
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .sort(([one], [other]) => (one < other ? -1 : 1));
    return entries.length === 0 ? ["{}"] : entries.flatMap(([name, item]) => entryLines(name, item));
  }
  return typeof value === "string" ? value.split("\n") : [String(value)];
}

function entryLines(name: string, value: unknown): readonly string[] {
  const lines = linesOf(value);
  const isBlock = typeof value === "object" && value !== null && Object.keys(value).length > 0;
  if (!isBlock && lines.length === 1) return [`${name}: ${lines[0]}`];
  return [`${name}:${isBlock ? "" : " |"}`, ...lines.map((line) => `  ${line}`)];
}

const indented = (mark: string, lines: readonly string[]): readonly string[] =>
  lines.map((line, index) => (index === 0 ? mark : " ".repeat(mark.length)) + line);
