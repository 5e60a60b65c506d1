import type { ArmEnd } from "../../../arms/arm/arm-end.ts";
import type { RunArm } from "../../../arms/arm/run-arm.ts";
import type { Purse } from "../../../arms/model/purse.ts";
import type { ArmTools } from "../../../arms/tool/arm-tools.ts";
import type { Workspace } from "../../../arms/workspace/workspace.ts";
import type { Arm } from "../../../domain/arm.ts";
import type { Decision, DecisionDetail } from "../../../domain/decision.ts";
import { Failure, ofArm } from "../../../domain/failure.ts";
import { asName } from "../../../domain/lenient.ts";
import { ranElsewhere } from "../../../domain/ran.ts";
import type { Scenario } from "../../../domain/scenario.ts";
import type { ArmSummary } from "../../../domain/session.ts";
import { MOST_SKILLS, type Skill, type SkillUse } from "../../../domain/skill.ts";
import { promptFor } from "../../../domain/task.ts";
import { Pace } from "../../../runtime/pace.ts";
import type { SessionServices } from "../../planning/services.ts";
import { pendingArm } from "../stored-arm.ts";
import type { RunLog } from "./run-log.ts";

interface ArmConduct {
  readonly arm: Arm;
  readonly runArm: RunArm;
  readonly workspace: Workspace;
  /** Its servers are ended when the arm has stopped. */
  readonly mcp: ArmTools;
  readonly scenario: Scenario;
  readonly log: RunLog;
  readonly services: SessionServices;
  readonly purse: Purse | undefined;
}

/** An arm that has stopped by itself. Nobody has looked at its work yet. */
export interface StoppedArm {
  readonly arm: Arm;
  readonly workspace: Workspace;
  readonly end: ArmEnd;
  readonly summary: ArmSummary;
  readonly decisions: readonly Decision[];
}

/** Runs one arm to its end. @throws what stopped the arm from outside; what it used until then is in the log. */
export async function conductArm(conduct: ArmConduct, signal: AbortSignal): Promise<StoppedArm> {
  const { arm, runArm, workspace, mcp, scenario, log, services, purse } = conduct;
  const decisions: Decision[] = [];
  const bounded = new KeptDecisions();
  const emit = (made: Decision) => {
    const decision = bounded.kept(made);
    log.note({ type: "decision", arm_id: arm.id, decision });
    decisions.push(decision);
  };
  const { policies, task } = scenario;
  const { arm_clock: clock, redact } = services;
  const { messages, follow_ups } = task;
  const said = { prompt: promptFor(task, arm), ...(messages && { messages }), ...(follow_ups && { follow_ups }) };
  const run = { arm, ...said, policies, workspace, mcp_tools: mcp.tools, purse, clock, redact, emit };
  const end = await runArm(run, signal);
  if (end.imported === undefined) services.spent?.({ by: "arm", calls: end.turns, cost_usd: end.cost_usd });
  await mcp[Symbol.asyncDispose]();
  const skillsOf = async () => [...(await workspace.skills()), ...(end.home_skills ?? [])];
  const skills_used = await skillsUsed(decisions, ranElsewhere(end) ? undefined : skillsOf);
  const ended = {
    ...summaryOf(end),
    ...(end.turns > 0 && arm.price_per_mtok?.price_date && { price_date: arm.price_per_mtok.price_date }),
    ...(skills_used.length > 0 && { skills_used }),
    ...(bounded.full && { log_cut: true as const }),
  };
  log.note({ type: "arm_ended", arm_id: arm.id, summary: ended });
  if (end.cause !== undefined) throw isOfProvider(end.cause) ? ofArm(arm.id, end.cause) : end.cause;
  return { arm, workspace, end, summary: { ...pendingArm(arm), ...ended }, decisions };
}

/** Other failures name the arm, or are not of one. */
const isOfProvider = (cause: unknown) => cause instanceof Failure && cause.code === "provider_failed";

function summaryOf(end: ArmEnd): Partial<ArmSummary> & Pick<ArmSummary, "status"> {
  const {
    calls: _calls,
    began_ticks: _began,
    home_skills: _skills,
    cause,
    violations,
    budget,
    other_models,
    ...measured
  } = end;
  const error = end.status === "failed" ? messageOf(cause) : null;
  const names = { stop_reason: nameIn(end.stop_reason), model_served: nameIn(end.model_served) };
  const others = other_models && { other_models: [...other_models] };
  return { ...measured, ...names, ...others, error, violations: [...violations], budget: [...budget] };
}

const nameIn = <T extends string | null>(text: T) => asName(text) ?? text;

const messageOf = (error: unknown) => (error instanceof Failure ? error.message : "an internal error");

/** The bytes of one arm's decisions as JSON. A long run of hundreds of turns has some megabytes. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Decisions of one arm as they are stored: names are short, and after so many bytes no texts follow. */
export class KeptDecisions {
  readonly #max_bytes: number;
  #bytes = 0;

  constructor(max_bytes = MAX_BYTES) {
    this.#max_bytes = max_bytes;
  }

  /** Texts of later decisions are left out. */
  get full(): boolean {
    return this.#bytes > this.#max_bytes;
  }

  kept(decision: Decision): Decision {
    if (decision.detail === undefined) return decision;
    const fields = Object.entries(decision.detail).map(([name, value]) => [name, this.#field(name, value)]);
    // Each field stays of its type, so the detail is still one of its kind.
    const kept = { ...decision, detail: Object.fromEntries(fields) } as Decision;
    this.#bytes += Buffer.byteLength(JSON.stringify(kept));
    return kept;
  }

  #field(name: string, value: unknown): unknown {
    if (Array.isArray(value)) return value.slice(0, MAX_NAMES).map((one) => asName(one) ?? one);
    if (NAMES.has(name)) return asName(value) ?? value;
    return TEXTS.has(name) && this.full ? "" : value;
  }
}

const NAMES: ReadonlySet<string> = new Set(["tool", "own_tool", "skill", "stop_reason", "code"]);
const TEXTS: ReadonlySet<string> = new Set(["text", "input", "output"]);

/** The names of tools that one turn may call. */
const MAX_NAMES = 1_000;

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
