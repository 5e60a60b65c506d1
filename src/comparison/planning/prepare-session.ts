import { Purse } from "../../arms/model/purse.ts";
import type { Recordings } from "../../arms/recording/recordings.ts";
import type { Sandbox } from "../../arms/sandbox/sandbox.ts";
import type { Arm } from "../../domain/arm.ts";
import { CALL_TIMEOUT_MS, MAX_OUTPUT_TOKENS, PROVIDER_TRIES } from "../../domain/defaults.ts";
import { Failure } from "../../domain/failure.ts";
import { judgesNamed } from "../../domain/model-name.ts";
import { FREE } from "../../domain/price-list.ts";
import type { Scenario } from "../../domain/scenario.ts";
import type { EvidenceDigests } from "../../domain/session.ts";
import type { SessionSettings } from "../../domain/session-settings.ts";
import { type Flag, SIDES, type Side } from "../../domain/verdict.ts";
import { applyModelOverride, differences } from "../scenario/declared-differences.ts";
import type { LoadedScenario } from "../scenario/loaded-scenario.ts";
import { demandPair } from "../scenario/pair.ts";
import { agentDigest } from "./agent-runner.ts";
import { demandPosted } from "./answering-runner.ts";
import { type ArmSource, demandUnseen, type SharedArms, scriptChoices, sourceOfArm } from "./arm-source.ts";
import { type StoredChoice, standInFor } from "./baseline/stand-in.ts";
import { type ChosenJudge, chooseJudge, judgeModelName } from "./choose-judge.ts";
import { comparisonDigest, conditionsOf, dayOf, evidenceDigests, selfTestKeyOf } from "./comparison.ts";
import { contextFlags } from "./context-flags.ts";
import {
  demandArmPrices,
  demandEveryPrice,
  demandFirstTurns,
  demandLikelyCost,
  withListPrices,
  withPrices,
} from "./cost-limits.ts";
import { serverDigests } from "./mcp-tools.ts";
import { demandPrograms } from "./refusals/demand-programs.ts";
import { type SessionSandbox, sandboxFor } from "./sandbox-for.ts";
import type { SessionServices } from "./services.ts";
import { openRecordings, toldOfReplay } from "./session-recordings.ts";
import { workspacePlaces } from "./task-image.ts";
import { type CostByPart, likelyCostOfRun, payable, worstCaseOfRun } from "./worst-case-cost.ts";
export interface RunOptions {
  readonly model_override?: string;
  readonly judge_model?: string;
  /** Arms and judge together, USD. */
  readonly max_cost_usd?: number;
  /** This one run may open the gate of its winner. */
  readonly single?: boolean;
  /** Decides which of its weighted scripts an arm replays. Default: the scenario's digest. */
  readonly seed?: string;
  /** Position of this run among repeated ones, from 1. Default: 1. */
  readonly trial_number?: number;
  /** Its own number in its series, which no other trial has. Absent: it is no trial. */
  readonly series_trial?: number;
  /** On which it was accepted, or its series began. Default: today. */
  readonly day?: string;
  /** The rules of its series. Absent: those of this version. */
  readonly protocol?: string;
  /** Stored runs of which one may stand in for an arm. */
  readonly stored?: StoredChoice;
  /** It is of a contest; which of its arms other sessions of the round run. */
  readonly shared?: SharedArms;
  readonly inputs_from_checkout?: NonNullable<SessionSettings["inputs_from_checkout"]>;
}

/** A session that can start: everything that could refuse it has been asked. */
export interface SessionPlan {
  readonly loaded: LoadedScenario;
  /** The definition with override and prices applied; `loaded.definition` stays what the file says. */
  readonly scenario: Scenario;
  readonly options: RunOptions;
  readonly sources: readonly [ArmSource, ArmSource];
  readonly chosen: ChosenJudge;
  readonly worst_case: CostByPart;
  /** What it costs where it is short, whoever pays for it, USD; null without a price. */
  readonly likely_usd: number | null;
  /** What pays for each of its calls; absent: no limit. Those of a series share one. */
  readonly purse: Purse | undefined;
  readonly sandbox: Sandbox;
  readonly settings: SessionSettings;
  /** What is compared with what, by which judge. */
  readonly comparison: string;
  readonly evidence_digests: EvidenceDigests;
  /** What self-tests of the judge on this scenario are kept by; null when no model judges. */
  readonly self_test_key: string | null;
  readonly declared: readonly string[];
  readonly flags: readonly Flag[];
  /** What its providers' traffic is recorded on, or comes from; absent: neither. */
  readonly recordings: Recordings | undefined;
  /** By which its series was accepted; absent: those of this version. */
  readonly need_of_protocols?: string | undefined;
}

/**
 * Spends nothing and writes nothing.
 * @throws Failure `credentials_missing`, `sandbox_unavailable` or `invalid_request`.
 */
export async function prepareSession(
  given: Omit<SessionServices, "store">,
  loaded: LoadedScenario,
  options: RunOptions,
): Promise<SessionPlan> {
  demandPair(loaded);
  const { definition } = loaded;
  const meant = overridden(definition, options.model_override);
  const asked = judgeModelName(given, options.judge_model, definition.rubric.judge.model);
  const services = { ...given, prices: await withListPrices(given, meant, asked) };
  const priced = withPrices(services.prices, definition, meant);
  const [first, second] = priced.arms;
  const draw = { seed: options.seed ?? loaded.digest, trial: options.trial_number ?? 1 };
  const scripts = scriptChoices(priced.arms, draw);
  const recordings = await openRecordings(services, priced, options);
  const day = dayOfRun(services, options);
  const stand_in =
    options.stored &&
    standInFor(options.stored, { definition, digests: await digestsBeforehand(services, loaded, priced, day) });
  const free = SIDES.filter((side) => side === stand_in?.side || options.shared?.[side] !== undefined);
  const paid = withFree(priced, free);
  const casting = { stand_in, shared: options.shared, draw, recordings };
  const [source_a, source_b, chosen, { sandbox, note, needed }, _prices, installsA, installsB] = await askAll([
    () => sourceOfArm(services, loaded, [0, first], casting),
    () => sourceOfArm(services, loaded, [1, second], casting),
    () => chooseJudge(services, options.judge_model, definition, recordings?.judge()),
    () => soundSandbox(services, loaded, priced),
    () => demandArmPrices(paid),
    () => installsOf(services, first),
    () => installsOf(services, second),
    () => demandUnseen(loaded, services.agents_dir),
    () => demandPosted(services, definition.task),
  ]);
  demandFirstTurns(paid);
  const replayed = toldOfReplay(recordings);
  demandDayPrices(services, paid, chosen, replayed.settings);
  const costs = [paid, chosen.price] as const;
  const likely_usd = payable(paid, replayed.settings.replayed, likelyCostOfRun(...costs));
  const purse = purseUnder(paid, chosen, likely_usd, options);
  if (note !== null && needed) services.notice(note);
  const declared = differences(first, second);
  const assumed = assumedProvider(options.judge_model ?? priced.rubric.judge.model, chosen.judge_model);
  for (const line of [assumed, undeclared(priced)]) if (line !== null) services.notice(line);
  const evidence = { arms: priced.arms, sandbox: sandbox.kind, installs: [installsA, installsB], day } as const;
  return {
    loaded,
    scenario: priced,
    options: { ...options, day },
    sources: [source_a, source_b],
    chosen,
    worst_case: worstCaseOfRun(...costs),
    likely_usd,
    purse,
    sandbox,
    settings: {
      sandbox: sandbox.kind,
      sandbox_note: note,
      ...{ ...LIMITS_OF_CALLS, ...replayed.settings },
      prices: pricesOf(priced, chosen),
      max_cost_usd: options.max_cost_usd ?? null,
      ...(scripts && { scripts }),
      ...(options.inputs_from_checkout && { inputs_from_checkout: options.inputs_from_checkout }),
    },
    comparison: comparisonDigest(
      { ...conditionsOf(definition, chosen.judge_model, day), ...evidence },
      options.protocol,
    ),
    evidence_digests: evidenceDigests(definition, evidence),
    self_test_key: selfTestKeyOf(conditionsOf(definition, chosen.judge_model)),
    declared,
    flags: [...contextFlags([first, second], priced, chosen.judge_model), ...replayed.flags],
    recordings,
  };
}

const dayOfRun = ({ clock }: Pick<SessionServices, "clock">, { day }: RunOptions) =>
  day ?? dayOf(clock.now().toISOString());

/** The digests that decide whether a stored run may stand in, before anything else is asked. */
async function digestsBeforehand(
  services: Omit<SessionServices, "store">,
  loaded: LoadedScenario,
  priced: Scenario,
  day: string,
): Promise<EvidenceDigests> {
  const { sandbox } = await soundSandbox(services, loaded, priced);
  const [first, second] = priced.arms;
  const installs = [await installsOf(services, first), await installsOf(services, second)] as const;
  return evidenceDigests(loaded.definition, { arms: priced.arms, sandbox: sandbox.kind, installs, day });
}

/** What stands in is paid for where it runs, or was when it ran. */
function withFree(scenario: Scenario, sides: readonly Side[]): Scenario {
  const [a, b] = scenario.arms;
  const priced = (arm: Arm, side: Side): Arm => (sides.includes(side) ? { ...arm, price_per_mtok: FREE } : arm);
  return sides.length === 0 ? scenario : { ...scenario, arms: [priced(a, "a"), priced(b, "b")] };
}

/** The sandbox of the run, in which its checks can run. On a shared store another machine may take the run. */
async function soundSandbox(
  services: Omit<SessionServices, "store">,
  loaded: LoadedScenario,
  scenario: Scenario,
): Promise<SessionSandbox> {
  const chosen = await sandboxFor(services, scenario);
  if (services.shared) return chosen;
  await workspacePlaces(services, { ...loaded, definition: scenario });
  await demandPrograms(chosen.sandbox, scenario);
  return chosen;
}

const LIMITS_OF_CALLS = {
  call_timeout_ms: CALL_TIMEOUT_MS,
  provider_tries: PROVIDER_TRIES,
  max_output_tokens: MAX_OUTPUT_TOKENS,
};

const pricesOf = ({ arms }: Scenario, { price }: ChosenJudge) => ({
  arms: Object.fromEntries(arms.map(({ id, price_per_mtok }) => [id, price_per_mtok])),
  judge: price,
});

/** What is replayed costs nobody anything that day. @throws Failure `invalid_request` under a limit of the day and without a price */
function demandDayPrices(
  { max_cost_per_day_usd }: Pick<SessionServices, "max_cost_per_day_usd">,
  { arms }: Scenario,
  { prices }: ChosenJudge,
  { replayed = [] }: Pick<SessionSettings, "replayed">,
): void {
  if (max_cost_per_day_usd === undefined) return;
  const judge_prices = replayed.includes("judge") ? new Map<string, null>() : prices;
  const live = arms.filter(({ id }) => !replayed.includes(id));
  demandEveryPrice(live, { limit: "--max-cost-per-day", judge_prices });
}

/** @throws Failure `invalid_request` under a limit that needs a price which nobody gave, or that the run is likely to exceed. */
function purseUnder(
  scenario: Scenario,
  { prices: judge_prices }: ChosenJudge,
  likely_usd: number | null,
  { max_cost_usd, series_trial }: RunOptions,
): Purse | undefined {
  if (max_cost_usd === undefined) return undefined;
  demandEveryPrice(scenario.arms, { limit: "--max-cost", judge_prices });
  // A series was asked before its first trial.
  if (series_trial === undefined) demandLikelyCost(likely_usd, max_cost_usd, { round: "one run", cheaper: CHEAPER });
  return new Purse(max_cost_usd);
}

/** What pays for the calls of an arm or the judge: what is replayed was paid for when it was recorded. */
export const purseOf = ({ purse, settings }: SessionPlan, who: string): Purse | undefined =>
  settings.replayed?.includes(who) ? undefined : purse;

const CHEAPER = "or take a cheaper model or judge (--judge-model builtin/evidence asks none)";

/** A judge without a slash is taken from the default judge's provider: say which, before it is asked. */
const assumedProvider = (named: string | null, judge_model: string) =>
  named === null || judgesNamed(named).every((one) => one.includes("/"))
    ? null
    : `judge "${named}" is taken as ${judge_model}`;

/** Two differences at once, and nobody can tell which one made the winner. */
function undeclared({ arms: [first, second], varies }: Scenario): string | null {
  const others = varies === null ? [] : differences(first, second).filter((field) => !varies.includes(field));
  return others.length === 0 ? null : `the arms also differ in ${others.join(", ")}, which \`varies\` does not declare`;
}

const overridden = (definition: Scenario, model: string | undefined) =>
  model === undefined ? definition : applyModelOverride(definition, model);

/** What the programs of an arm are known by: its agent, then its MCP servers. */
async function installsOf(services: Pick<SessionServices, "agents_dir">, arm: Arm): Promise<readonly string[]> {
  const agent = await agentDigest(services, arm);
  return [...(agent === null ? [] : [agent]), ...(await serverDigests(services, arm))];
}

/**
 * The answers to several questions. When some are refused, the user reads all refusals at once.
 * @throws Failure with the code and details of the first refusal, and a line for each. Other errors are thrown as they are.
 */
async function askAll<Answers extends readonly unknown[]>(
  questions: { readonly [I in keyof Answers]: () => Answers[I] | Promise<Answers[I]> },
): Promise<Answers> {
  const answers = await Promise.allSettled(questions.map(async (ask) => await ask()));
  const refusals = answers.flatMap((answer) => (answer.status === "rejected" ? [answer.reason as unknown] : []));
  const [first] = refusals;
  if (first === undefined)
    return answers.map((answer) => (answer as PromiseFulfilledResult<unknown>).value) as unknown as Answers; // in the order of the questions
  const fault = refusals.find((reason) => !(reason instanceof Failure));
  if (fault !== undefined || !(first instanceof Failure)) throw fault;
  const lines = new Set(refusals.map((reason) => (reason as Failure).message)); // other errors were thrown
  if (lines.size === 1) throw first;
  const { code, details } = first;
  throw new Failure(code, [...lines].join("\n"), { cause: first, ...(details && { details }) });
}
