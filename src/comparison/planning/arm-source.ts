import { resolve } from "node:path";
import { builtInArm } from "../../arms/arm/built-in-arm.ts";
import type { RunArm } from "../../arms/arm/run-arm.ts";
import { type ImportedRun, importedArm } from "../../arms/imported/imported-arm.ts";
import { LogFault, readLog } from "../../arms/imported/read-log.ts";
import type { Recordings } from "../../arms/recording/recordings.ts";
import { toolbox } from "../../arms/tool/toolbox.ts";
import type { Arm } from "../../domain/arm.ts";
import type { StandIn } from "../../domain/baseline.ts";
import { ANSWER_CHARS, PATCH_BYTES } from "../../domain/defaults.ts";
import { Failure } from "../../domain/failure.ts";
import type { NamedFile, Ran } from "../../domain/ran.ts";
import { shortage } from "../../domain/shortage.ts";
import { SIDES } from "../../domain/verdict.ts";
import type { LoadedScenario } from "../scenario/loaded-scenario.ts";
import { sourceOf } from "../scenario/materials.ts";
import { readDigested } from "../scenario/read-text.ts";
import { Unusable } from "../scenario/unusable.ts";
import { type AgentServices, agentRunner, isAgentArm } from "./agent-runner.ts";
import { type Draw, scriptFor } from "./scripts/choose-script.ts";
import type { SessionServices } from "./services.ts";

/** Where the work of an arm comes from: something runs it, or a stored run of it counts again. */
export type ArmSource = { readonly runArm: RunArm; readonly stored?: undefined } | { readonly stored: StandIn };

interface Casting {
  readonly stand_in: StandIn | undefined;
  readonly draw: Draw;
  readonly recordings: Recordings | undefined;
}

type Services = AgentServices & Pick<SessionServices, "resolveModel">;

/** @throws Failure `credentials_missing`, `invalid_request` */
export async function sourceOfArm(
  services: Services,
  loaded: LoadedScenario,
  [index, arm]: readonly [0 | 1, Arm],
  { stand_in, draw, recordings }: Casting,
): Promise<ArmSource> {
  if (stand_in?.side === SIDES[index]) return { stored: stand_in };
  if (isRanArm(arm)) return { runArm: importedRunner(loaded, arm) };
  const recording = recordings?.arm(arm.id);
  if (isAgentArm(arm)) return { runArm: await agentRunner(services, loaded, arm, recording) };
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
