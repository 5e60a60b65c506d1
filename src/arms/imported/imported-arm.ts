import type { BudgetUse, Violation } from "../../domain/evidence.ts";
import { Failure, Mistake } from "../../domain/failure.ts";
import type { Budget } from "../../domain/policies.ts";
import type { Price } from "../../domain/price-list.ts";
import type { ImportedFrom, RanUsage } from "../../domain/ran.ts";
import { costOf, sumKnown, sumUsage, UNKNOWN_USAGE, type Usage } from "../../domain/usage.ts";
import { type ArmEnd, cancelled, failed, finished, type Stop } from "../arm/arm-end.ts";
import { effectiveBudget } from "../arm/budget.ts";
import { DecisionLog } from "../arm/decision-log.ts";
import type { ArmRun, RunArm } from "../arm/run-arm.ts";
import type { FileSource } from "../workspace/workspace.ts";
import type { LoggedTurn, LogStep } from "./log-step.ts";
import type { ReadLog } from "./read-log.ts";
import { ToldSteps } from "./told-steps.ts";

/** What is known of a run that was made elsewhere. Each part may be absent; reading one may throw a Failure. */
export interface ImportedRun {
  readonly log?: () => Promise<ReadLog>;
  /** A unified diff against the fixture; empty: it changed nothing. */
  readonly patch?: () => Promise<string>;
  /** Files as they were afterwards. */
  readonly files?: FileSource;
  readonly answer?: () => Promise<string>;
  /** Goes before what the log says. */
  readonly usage?: RanUsage;
  /** The price of its model; null when unknown. */
  readonly price: Price | null;
}

/** A run that was made elsewhere as an arm: nothing is asked, nothing is paid. Its rules are held against what its log says. */
export const importedArm =
  (imported: ImportedRun): RunArm =>
  async (run, signal) => {
    const log = new DecisionLog(run.clock, run.emit);
    const began_ticks = run.clock.ticks();
    const told = new ToldSteps(run, log);
    try {
      await applyChange(imported, run);
      const read = await imported.log?.();
      await told.all(read, signal);
      const answer = (await imported.answer?.()) ?? answerIn(read);
      const stop = endOf(log, told.violations, answer === null ? null : told.clean(answer));
      return endWith({ imported, run, read, told, began_ticks }, stop);
    } catch (error) {
      const stop = signal.aborted ? cancelled(signal.reason) : failed(log, ofArmFile(run.arm.id, error));
      return endWith({ imported, run, read: undefined, told, began_ticks }, stop);
    }
  };

/** A change that cannot be made as it is ends the arm: half of it would be judged as all of it. */
async function applyChange({ patch, files }: ImportedRun, { workspace, arm }: ArmRun): Promise<void> {
  if (files) await workspace.lay(files);
  const text = await patch?.();
  if (text === undefined || text.trim() === "") return;
  try {
    await workspace.applyPatch(text);
  } catch (error) {
    if (!(error instanceof Mistake)) throw error;
    throw new Failure("setup_failed", `arm "${arm.id}": its patch does not apply: ${error.message}`, { cause: error });
  }
}

const ofArmFile = (arm_id: string, error: unknown) =>
  error instanceof Mistake ? new Failure("setup_failed", `arm "${arm_id}": ${error.message}`, { cause: error }) : error;

/** What the model said last in the main conversation, where it called nothing with it. */
function answerIn(read: ReadLog | undefined): string | null {
  const last = read?.steps.findLast((step): step is LoggedTurn => step.kind === "turn" && !step.side);
  return last === undefined || last.calls.length > 0 || last.text.trim() === "" ? null : last.text;
}

function endOf(log: DecisionLog, violations: readonly Violation[], answer: string | null): Stop {
  if (answer === null) return { status: "finished", stop_reason: IMPORTED, final_answer: null, violations };
  return { ...finished(log, { text: answer, stop: "end", stop_reason: IMPORTED }), stop_reason: IMPORTED, violations };
}

/** Why the arm stopped: whatever ended it elsewhere. */
const IMPORTED = "imported";

interface Ended {
  readonly imported: ImportedRun;
  readonly run: ArmRun;
  readonly read: ReadLog | undefined;
  readonly told: ToldSteps;
  readonly began_ticks: number;
}

function endWith({ imported, run, read, told, began_ticks }: Ended, { violations = [], ...stop }: Stop): ArmEnd {
  const turns = read?.steps.filter((step) => step.kind === "turn") ?? [];
  const usage = usageOf(imported, read && turns);
  const cost_usd = imported.usage?.cost_usd ?? costIn(read, turns) ?? costOf(imported.price, usage);
  const wall_ms = spanOf(read?.steps ?? []);
  const used = { turns: turns.length, tool_calls: told.calls.length, ...usage, cost_usd };
  return {
    ...stop,
    model_served: read?.model ? run.redact(read.model) : null,
    replies_digest: told.replies_digest(stop.final_answer),
    ...used,
    ...{ wall_ms, working_ms: wall_ms, throttled_ms: 0, began_ticks },
    budget: read ? budgetUse(effectiveBudget(run.policies.budget, run.arm.limits), used) : [],
    calls: told.calls,
    violations,
    imported: fromOf(imported, read, run.redact),
  };
}

function fromOf({ patch, files }: ImportedRun, read: ReadLog | undefined, redact: ArmRun["redact"]): ImportedFrom {
  const clean = (text: string | null | undefined) => (text ? redact(text) : null);
  return {
    form: read?.form ?? null,
    agent: clean(read?.agent),
    version: clean(read?.version),
    at: read?.steps.find(({ at }) => at !== null)?.at ?? null,
    ...(read?.broken_off && { broken_off: true as const }),
    ...(!patch && !files && { no_change: true as const }),
  };
}

/** Null without a log, and where a turn of it says nothing. */
function usageOf({ usage: given = {} }: ImportedRun, turns: readonly LoggedTurn[] | undefined): Usage {
  const read = turns ? sumUsage(turns.map(({ usage }) => usage ?? UNKNOWN_USAGE)) : UNKNOWN_USAGE;
  return {
    ...read,
    ...(given.tokens_in !== undefined && { tokens_in: given.tokens_in }),
    ...(given.tokens_out !== undefined && { tokens_out: given.tokens_out }),
  };
}

/** What the log says of money: of the whole, or of each turn. */
const costIn = (read: ReadLog | undefined, turns: readonly LoggedTurn[]): number | null =>
  read?.cost_usd ?? (turns.length > 0 ? sumKnown(turns.map(({ cost_usd }) => cost_usd)) : null);

/** Milliseconds from the first step that has a time to the last; 0 where none has. No measure compares it. */
function spanOf(steps: readonly LogStep[]): number {
  const times = steps.flatMap(({ at }) => (at === null ? [] : Date.parse(at)));
  return Math.max(0, (times.at(-1) ?? 0) - (times[0] ?? 0));
}

/** The arm's use beside its budget, to which it was not held. */
function budgetUse(budget: Budget, used: Pick<ArmEnd, "turns" | "tool_calls" | "cost_usd"> & Usage): BudgetUse[] {
  return [
    { budget: "turns", used: used.turns, limit: budget.max_turns },
    { budget: "tokens", used: sumKnown([used.tokens_in, used.tokens_out]), limit: budget.max_tokens },
    { budget: "tool_calls", used: used.tool_calls, limit: budget.max_tool_calls },
    { budget: "cost_usd", used: used.cost_usd, limit: budget.max_cost_usd },
  ];
}
