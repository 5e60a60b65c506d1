import { resolve } from "node:path";
import { builtInArm } from "../../arms/arm/built-in-arm.ts";
import type { RunArm } from "../../arms/arm/run-arm.ts";
import { type ImportedRun, importedArm } from "../../arms/imported/imported-arm.ts";
import { LogFault, readLog } from "../../arms/imported/read-log.ts";
import type { Recordings } from "../../arms/recording/recordings.ts";
import { toolbox } from "../../arms/tool/toolbox.ts";
import { isAnswering } from "../../domain/answering.ts";
import type { Arm, ScriptTurn } from "../../domain/arm.ts";
import type { StandIn } from "../../domain/baseline.ts";
import { ANSWER_CHARS, PATCH_BYTES } from "../../domain/defaults.ts";
import { Failure } from "../../domain/failure.ts";
import { isScripted } from "../../domain/model-name.ts";
import type { NamedFile, Ran } from "../../domain/ran.ts";
import type { ScriptChoice } from "../../domain/session-settings.ts";
import { sha256 } from "../../domain/sha256.ts";
import { shortage } from "../../domain/shortage.ts";
import { type ArmPointer, SIDES, type Side } from "../../domain/verdict.ts";
import type { LoadedScenario } from "../scenario/loaded-scenario.ts";
import { sourceOf } from "../scenario/materials.ts";
import { readDigested } from "../scenario/read-text.ts";
import { Unusable } from "../scenario/unusable.ts";
import { type AgentServices, agentRunner, isAgentArm } from "./agent-runner.ts";
import { type AnsweringServices, answeringRunner } from "./answering-runner.ts";
import type { SessionServices } from "./services.ts";

/** Where the work of an arm comes from: something runs it, a stored run of it counts again, or another session of its round has it. */
export type ArmSource =
  | { readonly runArm: RunArm; readonly stored?: undefined; readonly shared?: undefined }
  | { readonly stored: StandIn; readonly shared?: undefined }
  | { readonly shared: ArmPointer; readonly stored?: undefined };

/** Arms of a contest that other sessions of the round run, or ran. */
export type SharedArms = Readonly<Partial<Record<Side, ArmPointer>>>;

/** The arms of a pair that another session runs. @param sessionOf where an arm runs; undefined: here */
export function sharedIn(
  [a, b]: readonly [string, string],
  sessionOf: (arm_id: string) => string | undefined,
): SharedArms {
  const [of_a, of_b] = [sessionOf(a), sessionOf(b)];
  return {
    ...(of_a !== undefined && { a: { session_id: of_a, arm_id: a } }),
    ...(of_b !== undefined && { b: { session_id: of_b, arm_id: b } }),
  };
}

interface Casting {
  readonly stand_in: StandIn | undefined;
  readonly shared: SharedArms | undefined;
  readonly draw: Draw;
  readonly recordings: Recordings | undefined;
}

type Services = AgentServices & AnsweringServices & Pick<SessionServices, "resolveModel">;

/** @throws Failure `credentials_missing`, `invalid_request` */
export async function sourceOfArm(
  services: Services,
  loaded: LoadedScenario,
  [index, arm]: readonly [0 | 1, Arm],
  { stand_in, shared, draw, recordings }: Casting,
): Promise<ArmSource> {
  const elsewhere = shared?.[SIDES[index]];
  if (elsewhere) return { shared: elsewhere };
  if (stand_in?.side === SIDES[index]) return { stored: stand_in };
  if (isRanArm(arm)) return { runArm: importedRunner(loaded, arm) };
  const recording = recordings?.arm(arm.id);
  if (isAgentArm(arm)) return { runArm: await agentRunner(services, loaded, arm, recording) };
  if (isAnswering(arm)) return { runArm: await answeringRunner(services, loaded, arm, draw) };
  return { runArm: builtInArm(services.resolveModel(arm.model, scriptFor(arm, draw), recording), toolbox(arm.tools)) };
}

export type RanArm = Arm & { readonly ran: Ran };

export const isRanArm = (arm: Arm): arm is RanArm => arm.ran !== undefined;

/** What stands for an arm that ran elsewhere. Its files are read when the arm's turn has come. */
export function importedRunner({ directory, definition }: LoadedScenario, { id, ran }: RanArm): RunArm {
  const { log, patch, files, answer, usage } = ran;
  const price = definition.arms.find((arm) => arm.id === id)?.price_per_mtok ?? null;
  const named = (file: NamedFile, most: number) => () => textOf(directory, file, most);
  const run: ImportedRun = {
    ...(log && { log: () => logOf(directory, log) }),
    ...(patch && { patch: named(patch, PATCH_BYTES) }),
    ...(files && { files: sourceOf(directory, files) }),
    ...(answer !== undefined && {
      answer: typeof answer === "string" ? async () => answer : named(answer, ANSWER_CHARS * 4),
    }),
    ...(usage && { usage }),
    price,
  };
  return importedArm(run);
}

async function logOf(directory: string, { file, digest }: NamedFile) {
  try {
    const read = await readLog(resolve(directory, file));
    if (read.digest === digest) return read;
  } catch (error) {
    if (!(error instanceof LogFault)) throw shortage(error) ?? changed(file, error);
  }
  throw changed(file);
}

async function textOf(directory: string, { file, digest }: NamedFile, most: number): Promise<string> {
  try {
    const read = await readDigested(resolve(directory, file), most);
    if (read.digest === digest) return read.text;
  } catch (error) {
    if (!(error instanceof Unusable)) throw error;
  }
  throw changed(file);
}

const changed = (file: string, cause?: unknown) =>
  new Failure("invalid_scenario", `${file} has changed since the scenario was read; start again`, { cause });

/**
 * Refuses to give arms what they are tested with. Arms that ran elsewhere are given nothing.
 * @throws Failure `invalid_request` naming the files, and what to write instead
 */
export async function demandUnseen(
  { file, definition, findExposed }: LoadedScenario,
  agents_dir: string | undefined,
): Promise<void> {
  const exposed = definition.arms.every(isRanArm)
    ? []
    : ((await findExposed?.(agents_dir).catch(refuseUnusable)) ?? []);
  if (exposed.length === 0) return;
  const lines = exposed.map(
    ({ among, found, mend }) => `${file}: ${among} shows arms what they are tested with: ${found.join("; ")}\n${mend}`,
  );
  throw new Failure("invalid_request", lines.join("\n"), { details: { field: "scenario" } });
}

/** What could not be looked at. */
function refuseUnusable(error: unknown): never {
  if (!(error instanceof Unusable)) throw error;
  throw new Failure("invalid_request", `what arms are given ${error.message}`, { details: { field: "scenario" } });
}

/** What decides which of its scripts an arm replays. Equal draws give equal choices on every machine. */
export interface Draw {
  readonly seed: string;
  /** From 1. */
  readonly trial: number;
}

/** The index of the script that the arm replays; undefined when it has none to choose from, or a model that needs none. */
export function chooseScript({ id, model, scripts }: Arm, { seed, trial }: Draw): number | undefined {
  if (scripts === undefined || !isScripted(model)) return undefined;
  const total = scripts.reduce((sum, { weight }) => sum + weight, 0);
  let left = shareOf(`${seed}:${trial}:${id}`) * total;
  for (const [index, { weight }] of scripts.entries()) {
    left -= weight;
    if (left < 0) return index;
  }
  // Only rounding leads here.
  return scripts.length - 1;
}

/** The turns that a scripted arm replays in this trial; null when it has no script. */
export function scriptFor(arm: Arm, draw: Draw): readonly ScriptTurn[] | null {
  const chosen = chooseScript(arm, draw);
  return chosen === undefined ? arm.script : (arm.scripts?.[chosen]?.turns ?? null);
}

/** What was chosen, by arm id; undefined when no arm had a choice. */
export function scriptChoices(arms: readonly Arm[], draw: Draw): Readonly<Record<string, ScriptChoice>> | undefined {
  const choices = arms.flatMap((arm) => {
    const chosen = chooseScript(arm, draw);
    return chosen === undefined ? [] : [[arm.id, { ...draw, chosen }] as const];
  });
  return choices.length === 0 ? undefined : Object.fromEntries(choices);
}

/** A number from 0 to just below 1, evenly spread over all texts. */
const shareOf = (text: string): number => Number.parseInt(sha256(text).slice(0, SHARE_DIGITS), 16) / 16 ** SHARE_DIGITS;

/** Hexadecimal digits that a number holds exactly. */
const SHARE_DIGITS = 13;
