import { type Static, Type } from "@sinclair/typebox";
import type { Decision } from "./decision.ts";
import { Count, record } from "./schema.ts";

export const SkillUse = record("SkillUse", {
  name: Type.String(),
  first_seq: Type.Integer({ minimum: 1, description: "The step that read it first." }),
  count: Count("How often it was read."),
});
export type SkillUse = Static<typeof SkillUse>;

/** Skills of one arm that are told of, and characters of a skill's name: a model can call them anything. */
const MOST_SKILLS = 50;
const NAME_CHARS = 64;

const FILE = /(?:^|[\s'"=/])([^\s'"/<>|;&]{1,200})\/SKILL\.md(?![\w.-])/g;

/** Programs that look at no text of a file, or write one. */
const NO_READER = /^\s*(?:ls|find|test|\[|stat|wc|rm|mv|cp|ln|mkdir|touch|chmod|git)\b|>\s*[^\s>]*SKILL\.md/;

/** The skill whose file a call reads; undefined when it reads none. */
export function skillRead(tool: string, subject: string): string | undefined {
  if (tool === "read_file") return skillIn(subject);
  if (tool !== "run_command" || !subject.includes("/SKILL.md")) return undefined;
  return subject
    .split(/&&|\|\|?|;|\n/)
    .filter((part) => !NO_READER.test(part))
    .flatMap((part) => skillIn(part) ?? [])[0];
}

const skillIn = (text: string): string | undefined =>
  [...text.matchAll(FILE)].map(([, name = ""]) => skillName(name))[0];

/** As it is told: a plugin's skill may have the plugin's name before it. */
export const skillName = (name: string): string => name.trim().slice(0, NAME_CHARS).toWellFormed();

/** Names of the skills among some files. */
export const skillsAmong = (paths: readonly string[]): readonly string[] =>
  [...new Set(paths.flatMap((path) => skillIn(path) ?? []))].slice(0, MOST_SKILLS);

/** Which skills an arm read, in the order of their first use. A call that failed read nothing. */
export function skillsUsed(decisions: readonly Decision[]): SkillUse[] {
  const used = new Map<string, SkillUse>();
  for (const { kind, seq, detail } of decisions) {
    if (kind !== "tool_call" || detail?.skill === undefined || !detail.ok) continue;
    const before = used.get(detail.skill);
    if (before) before.count += 1;
    else if (used.size < MOST_SKILLS) used.set(detail.skill, { name: detail.skill, first_seq: seq, count: 1 });
  }
  return [...used.values()];
}
