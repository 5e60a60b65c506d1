import { createHash } from "node:crypto";
import type { Violation } from "../../domain/evidence.ts";
import { cut } from "../../domain/excerpt.ts";
import { NAME_CHARS } from "../../domain/lenient.ts";
import { UNKNOWN_USAGE } from "../../domain/usage.ts";
import { Pace } from "../../runtime/pace.ts";
import { type CallText, callText, type DecisionLog } from "../arm/decision-log.ts";
import type { ArmRun } from "../arm/run-arm.ts";
import { redactDeep, redactKeyShapes } from "../model/redaction.ts";
import { refusalOf } from "../policy/refusal.ts";
import { type CallRecord, didNothing, heldSubject } from "../policy/review.ts";
import { type CanonicalCall, canonicalCall, skillOf } from "../recipe/canonical-call.ts";
import type { Recipe } from "../recipe/recipe.ts";
import { RECIPES } from "../recipe/recipes.ts";
import { outputAsItIs } from "../recipe/unwrap-output.ts";
import type { LoggedCall, LoggedResult, LoggedTurn } from "./log-step.ts";
import type { ReadLog } from "./read-log.ts";

/** Shorter directories, such as `/` and `/app`, stand in too many other texts. */
const LEAST_STEPS = 2;

/** No system has a longer path. */
const PATH_CHARS = 4_096;

/**
 * Puts the workspace, where the task mounts it, in the place of the directory in which an agent worked elsewhere: rules then fit its paths, and neither
 * the name of a user nor the path tells a judge where a run was made.
 */
export function movedPaths(directory: string | null, workspace: string): (text: string) => string {
  const from = directory === null || directory.length > PATH_CHARS ? "" : directory.replace(/\/+$/, "");
  if (!from.startsWith("/") || from.split("/").length <= LEAST_STEPS) return (text) => text;
  return (text) => {
    if (!text.includes(from)) return text;
    const parts = text.split(from);
    const [first = "", ...rest] = parts;
    return rest.reduce((moved, part) => moved + (/^[\w.-]/.test(part) ? from : workspace) + part, first);
  };
}

interface Pending extends Pick<CanonicalCall, "effect" | "checked"> {
  readonly made: CallRecord;
  readonly own_tool: string;
  readonly told: CallText;
  readonly thread: number;
  readonly skill: string | undefined;
}

/** Makes decisions of the steps of a log, and holds the rules about commands against its calls. */
export class ToldSteps {
  readonly calls: CallRecord[] = [];
  readonly violations: Violation[] = [];
  readonly #run: Pick<ArmRun, "redact" | "policies" | "workspace">;
  readonly #log: DecisionLog;
  readonly #replies = createHash("sha256");
  readonly #pending = new Map<string, Pending>();
  readonly #pace = new Pace();
  #recipe: Pick<Recipe, "tools" | "unwrap" | "skill_tool"> = UNKNOWN_AGENT;
  #moved: (text: string) => string = (text) => text;

  constructor(run: Pick<ArmRun, "redact" | "policies" | "workspace">, log: DecisionLog) {
    this.#run = run;
    this.#log = log;
  }

  async all(
    read: Pick<ReadLog, "agent" | "directory" | "steps" | "broken_off"> | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    if (read === undefined) return;
    this.#recipe = RECIPES.find(({ name }) => name === read.agent) ?? UNKNOWN_AGENT;
    this.#moved = movedPaths(read.directory, this.#run.workspace.at);
    for (const step of read.steps) {
      signal.throwIfAborted();
      await this.#pace.bytes((step.kind === "turn" ? step.text : step.output).length * CLEANING_COST);
      if (step.kind === "turn") await this.#turn(step);
      else this.#result(step);
    }
    for (const pending of this.#pending.values()) this.#called(pending, NO_RESULT);
    if (read.broken_off) {
      this.#log.error("log_broken_off", "the log ends in the middle of a line: what came after it is not known");
    }
  }

  /** A text as others may read it. Nobody knows whose keys passed elsewhere. */
  clean = (text: string): string => redactKeyShapes(this.#run.redact(this.#moved(text)));

  /** SHA-256 over what the model said and called; of a run without a log over its answer. */
  replies_digest(answer: string | null): string {
    const replies = this.#replies.copy();
    return (this.calls.length === 0 && answer !== null ? replies.update(JSON.stringify(answer)) : replies).digest(
      "hex",
    );
  }

  async #turn({ text, calls, usage, stop_reason, side }: LoggedTurn): Promise<void> {
    const thread = side ? 2 : 1;
    const made = await this.#made(text, calls);
    const said = this.clean(text);
    const tools = made.map(({ canonical }) => canonical.tool);
    const ended = stop_reason ?? (calls.length > 0 ? "tool_calls" : "end");
    this.#log.turn({ text: said, tools, stop_reason: ended, usage: usage ?? UNKNOWN_USAGE, thread });
    for (const { call, canonical } of made) await this.#hold(call, canonical, thread);
  }

  /** Call by call. The fingerprint of stored trials is over `[text, [[name, input], ...]]` and a newline, as JSON writes it. */
  async #made(text: string, calls: readonly LoggedCall[]) {
    this.#replies.update(`[${JSON.stringify(text)},[`);
    const made: { readonly call: LoggedCall; readonly canonical: CanonicalCall }[] = [];
    for (const call of calls) {
      const json = JSON.stringify([call.name, call.input]);
      await this.#pace.bytes(json.length * CLEANING_COST);
      this.#replies.update(made.length > 0 ? `,${json}` : json);
      made.push({ call, canonical: this.#canonical(call) });
    }
    this.#replies.update("]]\n");
    return made;
  }

  async #hold(call: LoggedCall, canonical: CanonicalCall, thread: number) {
    const { tool, effect, subject, input, checked } = canonical;
    const read = skillOf(this.#recipe, call, canonical);
    const skill = read === undefined ? undefined : this.clean(read);
    const own_tool = this.#named(call.name);
    const held = heldSubject(subject);
    const own = own_tool === tool ? {} : { own_tool };
    const made: CallRecord = { tool, effect: effect ?? "opaque", subject: held, refused_by: null, ...own };
    this.calls.push(made);
    const pending = { made, own_tool, told: callText({ name: tool, input }), effect, checked, thread, skill };
    const id = call.id ?? `call ${this.calls.length}`;
    const before = this.#pending.get(id);
    if (before) this.#called(before, NO_RESULT);
    this.#pending.set(id, pending);
    if (effect !== "command") return;
    await this.#pace.bytes(held.length * READING_COST);
    const refusal = refusalOf(this.#run.policies, "command", held);
    if (refusal === null) return;
    const severity = this.#run.policies.severity.denied_command;
    this.#log.violation({ rule: refusal.rule, severity, subject: cut(held) });
    if (this.violations.length < MOST_VIOLATIONS)
      this.violations.push({ rule: refusal.rule, severity, subject: held, blocked: false });
  }

  #result({ call_id, output, is_error, exit_code }: LoggedResult): void {
    const pending = call_id === null ? undefined : this.#pending.get(call_id);
    if (call_id === null || pending === undefined) return;
    this.#pending.delete(call_id);
    const unwrapped = this.#recipe.unwrap(pending.own_tool, output);
    const code = exit_code ?? unwrapped.exit_code;
    const ok = is_error !== true && (code ?? 0) === 0;
    this.#called(pending, { text: unwrapped.output, bytes: Buffer.byteLength(output), ok, exit_code: code });
  }

  #called({ made, told, effect, checked, own_tool, thread, skill }: Pending, end: Called): void {
    made.failed = didNothing(effect, end);
    this.#log.call({
      ...{ told, ...end, text: this.clean(end.text), thread, own_tool },
      ...(effect && { effect }),
      ...(skill !== undefined && { skill }),
      ...(checked ? {} : { unchecked: true as const }),
    });
  }

  #canonical({ name, input }: LoggedCall): CanonicalCall {
    return canonicalCall(this.#recipe, {}, this.#named(name), redactDeep(input, this.clean), this.#run.workspace.at);
  }

  #named(tool: string): string {
    return cut(this.clean(tool), NAME_CHARS);
  }
}

interface Called {
  readonly text: string;
  readonly bytes: number;
  readonly ok: boolean;
  readonly exit_code: number | null;
}

const NO_RESULT: Called = { text: "the log has no result of this call", bytes: 0, ok: false, exit_code: null };

const UNKNOWN_AGENT: Pick<Recipe, "tools" | "unwrap" | "skill_tool"> = { tools: {}, unwrap: outputAsItIs };

/** Taking keys and paths out of a text takes as long as reading so many times its bytes. */
const CLEANING_COST = 20;
/** Parsing a command, as in `review.ts`. */
const READING_COST = 250;

/** Broken rules that are kept; all are told as decisions. */
const MOST_VIOLATIONS = 100;
