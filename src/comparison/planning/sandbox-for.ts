import { type Fault, sandboxUnavailable } from "../../arms/sandbox/fault.ts";
import { openSandbox } from "../../arms/sandbox/open-sandbox.ts";
import type { ChosenSandbox } from "../../arms/sandbox/sandboxes.ts";
import type { Arm } from "../../domain/arm.ts";
import { scriptsOf } from "../../domain/arm.ts";
import { Failure } from "../../domain/failure.ts";
import { isScripted } from "../../domain/model-name.ts";
import { coverEachOther } from "../../domain/mount-point.ts";
import type { Scenario } from "../../domain/scenario.ts";
import { checkKind } from "../../domain/task.ts";
import { effectOf } from "../../domain/tool.ts";
import { serversOf } from "./mcp-tools.ts";
import type { SessionServices } from "./services.ts";

export const NOT_NEEDED = "not needed: nothing in this scenario can run a command";

export interface SessionSandbox extends ChosenSandbox {
  /** The note is a warning: commands will run. */
  readonly needed: boolean;
}

/**
 * The sandbox of a session. One that no command can use is not tried out: that costs more
 * than the rest of a small session.
 * @throws Failure `sandbox_unavailable`
 */
export async function sandboxFor(
  services: Pick<SessionServices, "sandbox" | "sandboxes">,
  scenario: Scenario,
): Promise<SessionSandbox> {
  if (!canRunCommands(scenario))
    return { sandbox: openSandbox("none", services.sandboxes.host), note: NOT_NEEDED, needed: false };
  return { ...(await sandboxForCommands(services, scenario)), needed: true };
}

/** As `sandboxFor`, of a scenario in which commands run. */
export async function sandboxForCommands(
  { sandbox: mode, sandboxes }: Pick<SessionServices, "sandbox" | "sandboxes">,
  scenario: Scenario,
): Promise<ChosenSandbox> {
  const { arms, policies } = scenario;
  const foreign = arms.find(runsForeignPrograms);
  const why = foreign ? needsOne(foreign) : hasPlaces(scenario) ? PLACES_NEED_ONE : undefined;
  if (mode === "none" && why) throw sandboxUnavailable(why);
  demandFreePlaces(sandboxes.host.read ?? [], scenario);
  const fromModel = foreign !== undefined || arms.some(isRealModel);
  const chosen = await sandboxes.choose(mode, fromModel || why !== undefined);
  if (policies.network !== "open" || chosen.note !== null) return chosen;
  return await sandboxes.withOpenNetwork(chosen.sandbox, fromModel);
}

/** Whether an arm runs programs of others, which only a sandbox can contain and pause. */
const runsForeignPrograms = (arm: Arm) =>
  arm.agent !== undefined || arm.program !== undefined || serversOf(arm).length > 0;

function needsOne({ id, agent, program }: Arm): Fault {
  const [what, field] = agent
    ? ["is an agent of its own, which runs", "agent"]
    : program
      ? ["is a program of its own, which runs", "program"]
      : ["has MCP servers, which run", "mcp"];
  return {
    reason: `arm "${id}" ${what} only in bubblewrap`,
    fix: `leave out --sandbox none; without a sandbox only arms without \`${field}\` run`,
  };
}

/** Its workspaces are mounted elsewhere than is usual, or beside something. */
export const hasPlaces = ({ task: { fixture, image } }: Pick<Scenario, "task">) =>
  image !== undefined || fixture?.at !== undefined || Object.keys(fixture?.also ?? {}).length > 0;

const PLACES_NEED_ONE: Fault = {
  reason: "`task.image`, `fixture.at` and `fixture.also` mount things, which only bubblewrap does",
  fix: "leave out --sandbox none, or mount nothing",
};

/** @throws Failure `invalid_request` where a directory of --sandbox-read stands at a place of the scenario */
function demandFreePlaces(readable: readonly string[], { task: { fixture } }: Scenario): void {
  const places = [fixture?.at ?? [], Object.keys(fixture?.also ?? {})].flat();
  for (const place of places) {
    const shown = readable.find((directory) => coverEachOther(directory, place));
    if (shown !== undefined)
      throw new Failure(
        "invalid_request",
        `the fixture is mounted at ${place}, and --sandbox-read shows ${shown}: one would cover the other`,
      );
  }
}

/** Its commands are not known beforehand. An endpoint runs none here. */
export const isRealModel = (arm: Arm) => !isScripted(arm.model) && arm.endpoint === undefined;

const canRunCommands = ({ task, arms }: Scenario) =>
  task.setup.length > 0 ||
  task.fixture?.repository === true ||
  (task.probe?.checks ?? []).some((check) => checkKind(check) === "run") ||
  arms.some((arm) => runsForeignPrograms(arm) || mayCallCommands(arm));

function mayCallCommands(arm: Arm): boolean {
  const scripted = scriptsOf(arm)
    .flatMap(({ turns }) => turns)
    .flatMap(({ calls = [] }) => calls.flatMap((call) => Object.keys(call)));
  return (isRealModel(arm) ? arm.tools : scripted).some((name) => effectOf(name) === "command");
}
