import type { RunArm } from "../../arms/arm/run-arm.ts";
import type { AskedFor } from "../../arms/endpoint/answer-protocol.ts";
import type { Answering } from "../../arms/endpoint/answering-arm.ts";
import type { ArmEndpoint } from "../../domain/answering.ts";
import type { Arm } from "../../domain/arm.ts";
import { Failure, ofArm, ofCheck } from "../../domain/failure.ts";
import type { ScenarioInput } from "../../domain/scenario.ts";
import { postedChecks, type Task } from "../../domain/task.ts";
import type { LoadedScenario } from "../scenario/loaded-scenario.ts";
import type { SessionServices } from "./services.ts";

export type AnsweringServices = Pick<SessionServices, "endpoints" | "entropy">;

/** Which run it is, so that a program can repeat what it did by chance. */
interface Run {
  readonly seed: string;
  readonly trial: number;
  readonly rehearsal?: true;
}

/**
 * What runs an arm for which somebody's own program answers. Nothing of it is loaded for other arms, and nobody is asked yet.
 * @throws Failure `invalid_request` for an address that may not be asked, `credentials_missing`
 */
export async function answeringRunner(
  services: AnsweringServices,
  loaded: LoadedScenario,
  arm: Arm,
  run: Run,
): Promise<RunArm> {
  const { endpoint, program } = arm;
  const { answeringArm } = await import("../../arms/endpoint/answering-arm.ts");
  const asked = askedOfArm(loaded, arm, run);
  const answering = (open: Answering["open"]) => answeringArm({ asked, entropy: services.entropy, open });
  if (endpoint === undefined) {
    const { programAnswerer } = await import("../../arms/endpoint/program.ts");
    return answering(async (own) => programAnswerer(program?.run ?? [], own));
  }
  await demandEndpoint(services, arm);
  const { openEndpoint } = await import("../../arms/endpoint/endpoint.ts");
  return answering((own, signal) => openEndpoint(services.endpoints, endpoint, own, signal));
}

/** What its requests say of the run. */
export const askedOfArm = (
  { definition: { name, input } }: LoadedScenario,
  { endpoint, program }: Arm,
  run: Run,
): AskedFor => ({
  ...{ scenario: name, input: told(input, endpoint?.send ?? program?.send) },
  ...run,
});

/** Asks nobody, not even a name server. @throws Failure as `answeringRunner` */
export async function demandEndpoint(
  services: Pick<AnsweringServices, "endpoints">,
  { id, endpoint }: Pick<Arm, "id" | "endpoint">,
): Promise<void> {
  if (endpoint === undefined) return;
  await demandAskable(services, endpoint).catch((error: unknown) => {
    throw ofArm(id, error);
  });
}

/** As `demandEndpoint`, for every check that is posted. */
export async function demandPosted(services: Pick<AnsweringServices, "endpoints">, task: Task): Promise<void> {
  for (const { id, posted } of postedChecks(task))
    await demandAskable(services, posted).catch((error: unknown) => {
      throw ofCheck(id, error);
    });
}

async function demandAskable(
  { endpoints }: Pick<AnsweringServices, "endpoints">,
  { url, headers_env = {} }: Pick<ArmEndpoint, "url" | "headers_env">,
): Promise<void> {
  const [{ faultOfUrl }, { endpointHeaders }] = await Promise.all([
    import("../../arms/endpoint/reachable.ts"),
    import("../../arms/endpoint/endpoint.ts"),
  ]);
  const fault = faultOfUrl(new URL(url), endpoints.rules);
  if (fault !== null) throw new Failure("invalid_request", `its endpoint may not be asked: ${fault}`);
  endpointHeaders(endpoints, headers_env);
}

/** With the columns alone that it may know. */
function told(input: ScenarioInput | undefined, send: readonly string[] = []): ScenarioInput | null {
  if (input === undefined) return null;
  const values = Object.entries(input.values).filter(([column]) => send.includes(column));
  return { id: input.id, values: Object.fromEntries(values) };
}
