import { type Static, Type } from "@sinclair/typebox";
import { Count, record } from "./schema.ts";

export const SkillUse = record("SkillUse", {
  name: Type.String(),
  first_seq: Type.Integer({ minimum: 1, description: "The step that read it first." }),
  count: Count("How often it was read."),
});
export type SkillUse = Static<typeof SkillUse>;

/** Skills of one arm that are told of, and characters of a skill's name: a model can call them anything. */
export const MOST_SKILLS = 50;
const NAME_CHARS = 64;

const FILE = /(?:^|[\s'"=/])([^\s'"/<>|;&]{1,200})\/SKILL\.md(?![\w.-])/g;

/** Programs that look at no text of a file, or write one. */
const NO_READER =
  /^\s*(?:ls|find|test|\[|stat|wc|rm|mv|cp|ln|mkdir|touch|chmod|git|echo|printf|true|:)(?!\S)|>\s*[^\s>]*SKILL\.md/;

/** The skill whose file a call names as if to read it; undefined when it names none. Whether it read it, its output tells. */
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

/** A skill that lay before an arm when it began. */
export interface Skill {
  readonly name: string;
  readonly text: string;
}

/** The skill in a file; undefined for any other file, which is not read. */
export function skillAt(path: string, read: () => string): Skill | undefined {
  const [name] = path.endsWith("/SKILL.md") ? skillsAmong([path]) : [];
  return name === undefined ? undefined : { name, text: read() };
}
