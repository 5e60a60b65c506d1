import type { Decision, DecisionDetail } from "../../../domain/decision.ts";
import { MOST_SKILLS, type Skill, type SkillUse } from "../../../domain/skill.ts";
import { Pace } from "../../../runtime/pace.ts";

/**
 * Which skills an arm read, in the order of their first use. A call that failed read nothing, and one that only names a skill
 * read nothing either: the output of a command or of a file holds what the skill says. An agent's own tool for skills is
 * believed about those that the arm has.
 * @param skillsOf those of the arm; undefined: nobody knows them, so its log is believed
 */
export async function skillsUsed(
  decisions: readonly Decision[],
  skillsOf: (() => Promise<readonly Skill[]>) | undefined,
): Promise<SkillUse[]> {
  const calls = decisions.flatMap(({ kind, seq, detail }) =>
    kind === "tool_call" && detail?.ok && isAboutSkill(detail) ? [{ seq, call: detail }] : [],
  );
  const known = calls.length > 0 ? (await skillsOf?.())?.map(withLines) : undefined;
  const used = new Map<string, SkillUse>();
  for (const { seq, call } of calls)
    for (const name of await namesOf(call, known)) {
      const before = used.get(name);
      if (before) before.count += 1;
      else if (used.size < MOST_SKILLS) used.set(name, { name, first_seq: seq, count: 1 });
    }
  return [...used.values()];
}

async function namesOf(call: Call, known: readonly Lines[] | undefined): Promise<Iterable<string>> {
  if (known) return await readBy(call, known);
  return call.skill === undefined ? [] : [call.skill];
}

type Call = DecisionDetail<"tool_call">;

const isAboutSkill = ({ skill, input }: Call) => skill !== undefined || input.includes("SKILL.md");

const readsFiles = ({ tool }: Call) => tool === "read_file" || tool === "run_command";

async function readBy(call: Call, known: readonly Lines[]): Promise<ReadonlySet<string>> {
  const { skill = "" } = call;
  const pace = new Pace();
  const read = new Set<string>();
  if (!readsFiles(call)) {
    if (known.some(({ name }) => skill === name || skill.endsWith(`:${name}`))) read.add(skill);
    return read;
  }
  for (const { name, own, all } of known) {
    await pace.bytes(call.output.length * Math.max(own.length, all.length));
    const isShown = own.length > 0 ? own.some(inOutput(call)) : all.length > 0 && all.every(inOutput(call));
    if (isShown) read.add(name);
  }
  return read;
}

const inOutput =
  ({ output }: Call) =>
  (line: string) =>
    output.includes(line);

/** Lines of a skill that are looked for in an output, the characters of each, and words that make a line its own. */
const LOOKED_FOR = 100;
const LINE_CHARS = 80;
const OWN_WORDS = 3;

interface Lines {
  readonly name: string;
  readonly own: readonly string[];
  readonly all: readonly string[];
}

/** The name and the description of a skill are known to those who never opened it. */
function withLines({ name, text }: Skill): Lines {
  const body = text.replace(/^---\r?\n[\s\S]*?\n---\s*?(?:\n|$)/, "");
  const all = (body.trim() === "" ? text : body)
    .split("\n")
    .map((line) => line.trim().slice(0, LINE_CHARS).trim())
    .filter((line) => line !== "")
    .slice(0, LOOKED_FOR);
  return { name, all, own: all.filter((line) => (line.match(/[\p{L}\p{N}]+/gu) ?? []).length >= OWN_WORDS) };
}
