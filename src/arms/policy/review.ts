import { NAMED_VIOLATIONS } from "../../domain/defaults.ts";
import { UNCHECKED, UNREAD } from "../../domain/disqualification.ts";
import type { Changes, RequiredResult, Violation } from "../../domain/evidence.ts";
import { cut } from "../../domain/excerpt.ts";
import { splitMcpToolName } from "../../domain/mcp-tool-name.ts";
import { type Policies, type RequiredBehaviour, SKILL } from "../../domain/policies.ts";
import type { SkillUse } from "../../domain/skill.ts";
import type { CalledCheck } from "../../domain/task.ts";
import type { Effect } from "../../domain/tool.ts";
import { Pace } from "../../runtime/pace.ts";
import { commandMatcher, DENY_RULE, unreadIn } from "./command-rules.ts";
import { matchesPath, pathRules, WRITABLE_RULE } from "./refusal.ts";
import { COMMAND_CHARS } from "./shell-commands.ts";

/** A valid call of an arm and whether it ran. */
export interface CallRecord {
  readonly tool: string;
  readonly effect: Effect;
  /** The command or path of the call; what rules match on. See `heldSubject`. */
  readonly subject: string;
  /** The rule that refused it before it ran; null when it ran. */
  readonly refused_by: string | null;
  /** What an external agent calls the tool; absent where that is `tool`. */
  readonly own_tool?: string;
  /** Set once its result is known: it did nothing, see `didNothing`. */
  failed?: boolean;
}

/** Whether a call came to nothing. A command that ran may end with any status; 126 and 127 are a shell's for what it cannot run. */
export const didNothing = (
  effect: Effect | null,
  { ok, exit_code }: { readonly ok: boolean; readonly exit_code: number | null },
): boolean => !ok && (effect !== "command" || [null, 126, 127].includes(exit_code));

/** The part of a subject that rules are checked against; a longer command counts as unread. It is a copy: a slice would keep the whole text in memory. */
export const heldSubject = (subject: string): string =>
  subject.length <= COMMAND_CHARS ? subject : Buffer.from(subject.slice(0, COMMAND_CHARS + 1)).toString();

/** What is known of an arm that stopped. */
interface Conduct {
  readonly changes: Pick<Changes, "files" | "unknown">;
  /** Protected paths that differ. Given where the changes are unknown; null when these are unknown too. */
  readonly altered?: readonly string[] | null;
  readonly calls: readonly CallRecord[];
  readonly required: readonly RequiredResult[];
  /** What `unreadCommands` found. */
  readonly unread?: readonly Violation[];
  /** Broken rules that were seen while it ran. */
  readonly seen: readonly Violation[];
}

/** Parsing one character of a command takes as long as reading this many bytes, so that others have their turn after the longest. */
const READING_COST = 250;

/**
 * How often each required behaviour was shown, in the order of the scenario. Refused calls do not count, and those that came
 * to nothing only beyond a `max`. Each call is parsed once, and the event loop runs between calls.
 */
export async function requiredResults(
  policies: Policies,
  calls: readonly CallRecord[],
  skills: readonly SkillUse[] = [],
): Promise<RequiredResult[]> {
  const counts = policies.required.map((behaviour) => ({ behaviour, done: timesUsed(behaviour, skills), failed: 0 }));
  const pace = new Pace();
  for (const call of policies.required.length > 0 ? calls : []) {
    if (call.refused_by !== null) continue;
    const shows = shownBy(named(call));
    for (const tally of counts.filter(({ behaviour }) => shows(behaviour))) addTo(tally, call);
    await pace.bytes(call.subject.length * READING_COST);
  }
  return counts.map(({ behaviour, ...tally }) => resultOf(behaviour, countedOf(tally, behaviour.max)));
}

const resultOf = ({ id, tool, min, max }: RequiredBehaviour, count: number): RequiredResult => ({
  ...{ id, tool, count, min },
  ...(max !== undefined && { max }),
  met: count >= min && count <= (max ?? count),
});

interface Tally {
  done: number;
  failed: number;
}

function addTo(tally: Tally, { failed }: CallRecord): void {
  tally[failed ? "failed" : "done"] += 1;
}

/** Against a `max` a call counts also when it fails: an arm could stay below it by failing. */
const countedOf = ({ done, failed }: Tally, max = Number.POSITIVE_INFINITY): number =>
  done + failed > max ? done + failed : done;

/** Agents call a tool of an MCP server `mcp__<server>__<tool>`, or as abeval does. */
function named(call: CallRecord): CallRecord {
  const foreign = call.own_tool?.replace(/^mcp__/, "");
  return foreign !== undefined && splitMcpToolName(foreign) ? { ...call, tool: foreign } : call;
}

const timesUsed = ({ tool, match }: RequiredBehaviour, skills: readonly SkillUse[]): number =>
  tool === SKILL ? skills.reduce((sum, { name, count }) => (name === match ? sum + count : sum), 0) : 0;

/** How many calls of a tool ran, as `requiredResults` counts them, by abeval's name of it or the agent's own. */
export async function countCalls({ tool, match, max }: CalledCheck, calls: readonly CallRecord[]): Promise<number> {
  const pace = new Pace();
  const count = { done: 0, failed: 0 };
  for (const call of calls) {
    if (call.refused_by !== null || (call.tool !== tool && call.own_tool !== tool)) continue;
    if (match === null || shownBy(call)({ tool: call.tool, match })) addTo(count, call);
    await pace.bytes(call.subject.length * READING_COST);
  }
  return countedOf(count, max);
}

/**
 * Commands that ran although `deny`, or a required behaviour, could not see all that they run, with the reason. They break no
 * rule, so they never disqualify. The event loop runs between calls.
 */
export async function unreadCommands(policies: Policies, calls: readonly CallRecord[]): Promise<Violation[]> {
  const found: Violation[] = [];
  const pace = new Pace();
  for (const call of calls) {
    const rule = ruleThatReads(policies, call);
    if (rule === null) continue;
    const { subject } = call;
    const why = unreadIn(subject);
    if (why !== null)
      found.push({ rule, severity: "warn", subject: `${UNREAD}${why}: ${cut(subject)}`, blocked: false });
    if (found.length === NAMED_VIOLATIONS) break;
    await pace.bytes(subject.length * READING_COST);
  }
  return found;
}

function ruleThatReads({ commands, required }: Policies, { tool, effect, refused_by }: CallRecord): string | null {
  if (effect !== "command" || refused_by !== null) return null;
  if (commands.deny.length > 0) return DENY_RULE;
  return required.some((behaviour) => behaviour.tool === tool && behaviour.match !== null) ? "required" : null;
}

/**
 * Every broken rule, once for each path or command: violations seen while the arm ran, changed files, rules that the arm
 * made impossible to check, refused calls, commands that could not be read, required behaviour that is missing.
 */
export function violations(policies: Policies, conduct: Conduct): Violation[] {
  const { changes, calls, required, seen, altered = null, unread = [] } = conduct;
  const ruleOf = pathRules(policies.paths);
  const paths = changes.files.map(({ path }) => path).concat(altered ?? []);
  return distinct([
    ...seen,
    ...paths.flatMap((path) => changedPath(policies, path, ruleOf(path))).slice(0, NAMED_VIOLATIONS),
    ...unchecked(policies, changes.unknown ?? null, altered !== null),
    ...calls.flatMap((call) => refusedCall(policies, call)),
    ...unread,
    ...required.filter(({ met }) => !met).map((result) => missing(policies, result)),
  ]);
}

/** The first violation that disqualifies an arm. A refused call did no harm, so it never disqualifies. */
export const disqualifying = (found: readonly Violation[]): Violation | undefined =>
  found.find(({ blocked, severity }) => !blocked && severity === "disqualify");

function shownBy({
  tool,
  effect,
  subject,
}: CallRecord): (behaviour: Pick<RequiredBehaviour, "tool" | "match">) => boolean {
  const runs = effect === "command" ? commandMatcher(subject) : undefined;
  return (behaviour) => {
    if (behaviour.tool !== tool) return false;
    if (behaviour.match === null) return true;
    return runs ? runs(behaviour.match) : matchesPath(behaviour.match, subject);
  };
}

function changedPath({ severity }: Policies, path: string, rule: string | null): Violation[] {
  return rule === null ? [] : [{ rule, severity: severity.protected_path, subject: path, blocked: false }];
}

/** An arm that leaves too much to check a rule about paths has broken that rule: hiding work must not pay. */
function unchecked({ severity, paths }: Policies, why: string | null, knowsProtected: boolean): Violation[] {
  if (why === null) return [];
  const rules = [
    ...(knowsProtected ? [] : paths.protected),
    ...(paths.writable.includes("**") ? [] : [WRITABLE_RULE]),
  ].slice(0, NAMED_VIOLATIONS);
  const subject = UNCHECKED + why;
  return rules.map((rule) => ({ rule, severity: severity.protected_path, subject, blocked: false }));
}

function refusedCall({ severity }: Policies, { effect, subject, refused_by }: CallRecord): Violation[] {
  if (refused_by === null) return [];
  const weight = effect === "command" ? severity.denied_command : severity.protected_path;
  return [{ rule: refused_by, severity: weight, subject, blocked: true }];
}

function missing({ severity }: Policies, { id, tool, count, min, max }: RequiredResult): Violation {
  const wanted = count < min ? `${count} of at least ${min} calls` : `${count} of at most ${max} calls`;
  return {
    rule: `required: ${id}`,
    severity: severity.required,
    subject: `${tool}: ${wanted}`,
    blocked: false,
  };
}

function distinct(found: readonly Violation[]): Violation[] {
  const byIdentity = new Map(found.map((violation) => [JSON.stringify(violation), violation]));
  return [...byIdentity.values()];
}
