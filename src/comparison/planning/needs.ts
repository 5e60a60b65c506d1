import { join } from "node:path";
import { OFFLINE_PROVIDERS, splitModelRef } from "../../arms/model/model-ref.ts";
import type { Sandbox } from "../../arms/sandbox/sandbox.ts";
import type { ArmEndpoint } from "../../domain/answering.ts";
import type { Arm } from "../../domain/arm.ts";
import { judgesNamed, providerName } from "../../domain/model-name.ts";
import { SERIES_PROTOCOL } from "../../domain/series-record.ts";
import { LOG_VERSION } from "../../domain/session-entry.ts";
import type { SessionSettings } from "../../domain/session-settings.ts";
import { postedChecks, type Task } from "../../domain/task.ts";
import type { Needs, SharedStore, WorkerRow } from "../../store/shared-store.ts";
import { JUDGING_PROTOCOLS } from "../judge/open-judge.ts";
import { serversOf } from "./mcp-tools.ts";
import type { SessionPlan } from "./prepare-session.ts";
import { NOT_NEEDED } from "./sandbox-for.ts";
import type { SessionServices } from "./services.ts";
/** What is known of a run before it is planned. */
export interface Needing {
  readonly arms: readonly Arm[];
  readonly task: Task;
  readonly judge_model: string;
  /** Null: nothing in it can run a command. */
  readonly sandbox: SessionSettings["sandbox"] | null;
  /** The arms, and `judge`, whose providers are not asked. */
  readonly replayed: readonly string[];
  /** It is replayed from recordings, or recorded. */
  readonly recorded: boolean;
  readonly need_of_protocols?: SessionPlan["need_of_protocols"];
}

/** What a worker must have to run it as it was planned. */
export const needsOfPlan = (
  services: Installing,
  { scenario, settings, chosen, recordings, need_of_protocols }: SessionPlan,
): Promise<Needs> =>
  needsOf(services, {
    need_of_protocols,
    task: scenario.task,
    ...{ arms: scenario.arms, judge_model: chosen.judge_model, recorded: recordings !== undefined },
    sandbox: settings.sandbox_note === NOT_NEEDED ? null : settings.sandbox,
    replayed: settings.replayed ?? [],
  });

/** What a worker must have to run it. */
export async function needsOf(
  services: Installing,
  { arms, task, judge_model, sandbox, replayed, recorded, need_of_protocols = NEED_OF_PROTOCOLS }: Needing,
): Promise<Needs> {
  const models = arms.filter(({ id }) => !replayed.includes(id)).map(({ model }) => model);
  const judges = replayed.includes("judge") ? [] : judgesNamed(judge_model);
  const needs = [
    ...[...models, ...judges].flatMap(providerNeed),
    ...(sandbox === null ? [] : [needOfSandbox(sandbox)]),
    ...(await installNeeds(services, arms)),
    ...(recorded ? ["recordings"] : []),
    ...arms.flatMap(answeringNeed),
    ...postedChecks(task).flatMap(({ posted }) => [POSTED_CHECKS, hostNeed(posted)]),
    ...(task.image ? [needOfImage(task.image.digest)] : []),
    need_of_protocols,
  ];
  return [...new Set(needs)].sort();
}

type Installing = Pick<SessionServices, "agents_dir">;

const providerNeed = (model: string): string[] => {
  const { provider } = splitModelRef(model);
  return OFFLINE_PROVIDERS.includes(provider) ? [] : [needOfProvider(provider)];
};

async function installNeeds({ agents_dir }: Installing, arms: readonly Arm[]) {
  const names = arms.flatMap((arm) => [arm.agent?.install ?? [], serversOf(arm).map(({ install }) => install)].flat());
  if (agents_dir === undefined) return [];
  return await Promise.all([...new Set(names)].map((name) => installNeed(agents_dir, name)));
}

/** By its packages and their versions. */
export async function installNeed(agents_dir: string, install: string): Promise<string> {
  const { installDigest } = await import("../../arms/recipe/install.ts");
  return `install:${install}@${(await installDigest(join(agents_dir, install), null)).slice(0, 16)}`;
}

/** The living processes that take runs. @throws Failure when the store cannot be read */
export async function workersWithSlots({ workers }: Pick<SharedStore, "workers">): Promise<readonly WorkerRow[]> {
  return (await workers.alive()).filter(({ slots }) => slots > 0);
}

const PROVIDER = "provider:";
const SANDBOX = "sandbox:";
const PROTOCOLS = "protocols:";

/** What series keep of themselves and their trials. Up to records/1 a version reads no field that it does not know. */
const RECORDS = "records/2";

/** What a worker has whose version writes and judges as this one does: others would mix what they judge, or lose what they read. */
export const NEED_OF_PROTOCOLS =
  PROTOCOLS + [`log/${LOG_VERSION}`, ...JUDGING_PROTOCOLS, SERIES_PROTOCOL, RECORDS].join("+");

/**
 * What servers of earlier releases ask for, and this version does where no worker of theirs is left: it plans a run anew, and a series
 * goes on by the rules by which it began. Whoever changes a protocol adds here what was asked for before.
 */
const NEEDS_OF_EARLIER: Needs = [
  `${PROTOCOLS}log/2+swapped-pair/3+gates-and-measures/3+series/2+records/2`,
  `${PROTOCOLS}log/2+swapped-pair/3+gates-and-measures/3+series/1`,
];

/** All protocols by which this version works, its own first. */
export const PROTOCOLS_DONE: Needs = [...new Set([NEED_OF_PROTOCOLS, ...NEEDS_OF_EARLIER])];

/** Whether a server with other protocols accepted it. */
export const isOfOtherProtocols = (needs: Needs): boolean =>
  protocolsAmong(needs).length > 0 && !needs.includes(NEED_OF_PROTOCOLS);

/** The rules of series among protocols. */
export const seriesRulesAmong = (needs: Needs): { readonly protocol?: string } => {
  const [protocol] = protocolsAmong(needs)
    .flatMap((protocols) => protocols.split("+"))
    .filter((one) => one.startsWith("series/"));
  return protocol === undefined ? {} : { protocol };
};

/** The protocols among needs, or among what a worker has. */
export const protocolsAmong = (needs: Needs): string[] =>
  needs.flatMap((need) => (need.startsWith(PROTOCOLS) ? need.slice(PROTOCOLS.length) : []));

export const isOfProtocols = (need: string): boolean => need.startsWith(PROTOCOLS);

export const needOfProvider = (provider: string): string => PROVIDER + providerName(provider);

/** The providers among needs, or among what a worker has. */
export const providersAmong = (needs: Needs): string[] =>
  needs.flatMap((need) => (need.startsWith(PROVIDER) ? need.slice(PROVIDER.length) : []));

export const needOfSandbox = (kind: Sandbox["kind"]): string => SANDBOX + kind;

const answeringNeed = ({ endpoint, program }: Arm): string[] => [
  ...(endpoint ? [hostNeed(endpoint)] : []),
  ...(program ? [PROGRAMS] : []),
];

const hostNeed = ({ url }: Pick<ArmEndpoint, "url">): string => needOfEndpoint(new URL(url).hostname);

/** By its host, whatever the port. */
export const needOfEndpoint = (host: string): string => `endpoint:${host}`;

/** What versions have that run arms with `program`. */
export const PROGRAMS = "programs";

/** What versions have that post checks. An earlier one would take such a check for a command that does nothing. */
export const POSTED_CHECKS = "posted-checks";

/** By a digest that the image is called by. */
export const needOfImage = (digest: string): string => `image:${digest}`;

/** The need that only workers with bubblewrap meet. */
export const SANDBOX_NEED = needOfSandbox("bubblewrap");

export const isOfSandbox = (need: string): boolean => need.startsWith(SANDBOX);
