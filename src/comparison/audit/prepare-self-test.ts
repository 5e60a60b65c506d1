import type { Sandbox } from "../../arms/sandbox/sandbox.ts";
import type { WorkspacePlaces } from "../../arms/workspace/workspace.ts";
import { Failure } from "../../domain/failure.ts";
import { isBuiltin, judgesNamed } from "../../domain/model-name.ts";
import type { Scenario } from "../../domain/scenario.ts";
import type { ArmSummary } from "../../domain/session.ts";
import { isUnknown } from "../../domain/size-of.ts";
import type { Task } from "../../domain/task.ts";
import { mostCostOf } from "../../domain/usage.ts";
import { readableSession } from "../../store/read-session.ts";
import type { SessionStore } from "../../store/store.ts";
import { type JudgeIdentity, judgeIdentity } from "../judge/open-judge.ts";
import { isJudged } from "../judge/scenario-brief.ts";
import { type ChosenJudge, chooseJudge, judgeModelName } from "../planning/choose-judge.ts";
import { demandJudgePrice, usdAtLeast, withListPrices } from "../planning/cost-limits.ts";
import { hasPlaces, sandboxForCommands } from "../planning/sandbox-for.ts";
import type { SessionServices } from "../planning/services.ts";
import { workspacePlaces } from "../planning/task-image.ts";
import { firstJudging } from "../planning/worst-case-cost.ts";
import { comparabilityDigest } from "../scenario/digest.ts";
import type { LoadedScenario } from "../scenario/loaded-scenario.ts";
import { JUDGINGS } from "./grade-part.ts";

/** Sessions that are looked at, newest first. */
const LOOKED_AT = 20;

/**
 * A patch that does the task: the reference fix, else what a stored arm left that passed every hidden check. Undefined when
 * neither is there.
 */
export async function knownWork(
  store: Pick<SessionStore, "list" | "read">,
  { definition }: LoadedScenario,
): Promise<string | undefined> {
  const { name, task } = definition;
  if (task.reference_fix) return task.reference_fix.patch;
  if (task.probe === null) return undefined;
  const digest = comparabilityDigest(definition);
  for (const { session_id } of await store.list({ scenario: name, state: "completed", limit: LOOKED_AT })) {
    const session = await readableSession(store, session_id);
    if (!session || comparabilityDigest(session.definition) !== digest) continue;
    const arm = session.arms.find(solved);
    if (arm?.changes) return arm.changes.patch;
  }
  return undefined;
}

const solved = ({ status, changes, probe }: ArmSummary) =>
  status === "finished" &&
  probe !== null &&
  probe.score === 1 &&
  changes !== null &&
  !(isUnknown(changes) || changes.truncated || changes.files.length === 0);

export interface SelfTestOptions {
  readonly judge_model?: string | undefined;
  /** The most that all its judgings together may cost, USD. */
  readonly max_cost_usd?: number | undefined;
}

/** A self-test that can start: everything that could refuse it has been asked. */
export interface SelfTestPlan {
  readonly loaded: LoadedScenario;
  /** The scenario as it is judged: no criterion that code measures, no results of hidden checks. */
  readonly scenario: Scenario;
  readonly digest: string;
  readonly judge: JudgeIdentity;
  /** What there is to do; absent with the reason when there is nothing to test. */
  readonly work: SelfTestWork | string;
}

export interface SelfTestWork {
  readonly chosen: ChosenJudge;
  readonly known: KnownWork;
  /** What it cannot tell, for want of material; null: nothing. */
  readonly unexamined: string | null;
  /** What all judgings together may cost; undefined: no limit, for want of a price. */
  readonly most_usd: number | undefined;
  /** What the first two calls of a judging can cost; null without a price. */
  readonly least_usd: number | null;
  /** Presentations to a judge, re-asks not counted: of one that makes no mistake, without a masked repetition, and the most. */
  readonly calls: readonly [least: number, most: number];
}

type KnownWork =
  | { readonly answer: string }
  | { readonly patch: string; readonly sandbox: Sandbox; readonly places: WorkspacePlaces | undefined };

/**
 * Spends nothing and writes nothing.
 * @throws Failure `credentials_missing`, `sandbox_unavailable` or `invalid_request`, also where the limit pays for no judging
 */
export async function prepareSelfTest(
  services: SessionServices,
  loaded: LoadedScenario,
  { judge_model, max_cost_usd }: SelfTestOptions,
): Promise<SelfTestPlan> {
  const { definition } = loaded;
  const name = judgeModelName(services, judge_model, definition.rubric.judge.model);
  const plan = {
    loaded,
    scenario: judgedAlone(definition),
    digest: comparabilityDigest(definition),
    judge: judgeIdentity(name, definition),
  };
  if (isBuiltin(name)) return { ...plan, work: `${name} asks no model: there is no judge to test` };
  if (plan.scenario.rubric.criteria.length === 0) return { ...plan, work: "no criterion of the rubric asks a judge" };
  const known = await findKnownWork(services, loaded);
  if (typeof known === "string") return { ...plan, work: known };
  const prices = await withListPrices(services, definition, name);
  const chosen = chooseJudge({ ...services, prices }, judge_model, definition);
  demandPrices(services, chosen, max_cost_usd);
  const judges = judgesNamed(name).length;
  const least_usd = mostCostOf(chosen.price, firstJudging(plan.scenario));
  demandOneJudging(least_usd ?? 0, max_cost_usd);
  // Calls beyond two of a judging are paid by those that stay below the most that a call can cost.
  const most_usd = max_cost_usd ?? (least_usd === null ? undefined : JUDGINGS.most * least_usd);
  return {
    ...plan,
    work: {
      ...{ chosen, known, unexamined: unexaminedOf(definition.task) },
      ...{ most_usd, least_usd },
      calls: [2 * JUDGINGS.least * judges, 4 * JUDGINGS.most * judges],
    },
  };
}

/** Material to test a judge with, or why there is none. */
async function findKnownWork(services: SessionServices, loaded: LoadedScenario): Promise<KnownWork | string> {
  const { answer, deliverable, reference_answer } = loaded.definition.task;
  if (answer && deliverable.length === 0) return reference_answer ? { answer: reference_answer.text } : NO_ANSWER;
  const patch = await knownWork(services.store, loaded);
  if (patch === undefined) return NO_WORK;
  const { sandbox } = hasPlaces(loaded.definition)
    ? await sandboxForCommands(services, loaded.definition)
    : await services.sandboxes.choose(services.sandbox, false);
  return { patch, sandbox, places: await workspacePlaces(services, loaded) };
}

/** Files stand for all of the work where it is both. */
function unexaminedOf({ answer, deliverable, reference_answer }: Task): string | null {
  if (!answer || deliverable.length === 0) return null;
  return reference_answer
    ? "how it reads a cut or reworded answer is not examined beside files"
    : "how it reads answers is not examined: the scenario has no reference_answer";
}

const NO_ANSWER =
  "the scenario has no reference_answer: whether the judge tells a good answer from an empty, a cut or another one cannot be examined";

const NO_WORK =
  "the scenario has no reference_fix, and no stored arm passed all hidden checks: there is nothing to make evidence of";

function demandPrices(
  { max_cost_per_day_usd }: Pick<SessionServices, "max_cost_per_day_usd">,
  { prices }: ChosenJudge,
  max_cost_usd: number | undefined,
): void {
  if (max_cost_per_day_usd !== undefined) demandJudgePrice({ limit: "--max-cost-per-day", judge_prices: prices });
  if (max_cost_usd !== undefined) demandJudgePrice({ limit: "--max-cost", judge_prices: prices });
}

/** @throws Failure `invalid_request` for a limit under which the judge might be asked nothing. */
function demandOneJudging(least_usd: number, max_cost_usd: number | undefined): void {
  if (max_cost_usd === undefined || max_cost_usd >= least_usd) return;
  const needed_usd = usdAtLeast(least_usd);
  throw new Failure(
    "invalid_request",
    `max_cost_usd (--max-cost): ${max_cost_usd} USD for a scenario may not pay for one judging, whose first two calls can cost up to ${needed_usd} USD; raise it, lower rubric.judge.max_evidence_tokens, or take a cheaper judge`,
    { details: { field: "max_cost_usd", needed_usd } },
  );
}

/** What the judge says alone. Hidden checks and measures must not decide in its place. */
function judgedAlone(scenario: Scenario): Scenario {
  const { rubric } = scenario;
  const judge = { ...rubric.judge, probe_visibility: "hidden" } as const;
  return { ...scenario, rubric: { ...rubric, criteria: rubric.criteria.filter(isJudged), judge } };
}

/** What a self-test may take, for whoever is to pay for it. */
export function priceTag({ work, judge }: SelfTestPlan): string {
  if (typeof work === "string") return `nothing to test: ${work}`;
  const [least, most] = work.calls;
  const cost = work.most_usd === undefined ? "cost unknown" : `${work.most_usd.toFixed(2)} USD at most`;
  return `asks ${judge.model} ${least} to ${most} times, less when it fails early, and again where an answer cannot be used; ${cost}`;
}
