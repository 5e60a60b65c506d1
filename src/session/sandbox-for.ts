import type { Arm, Scenario } from "../domain/scenario.ts";
import type { SandboxMode } from "../domain/session.ts";
import { effectOf } from "../domain/tool.ts";
import { chooseSandbox } from "../workspace/choose-sandbox.ts";
import { withOpenNetwork } from "../workspace/open-network.ts";
import { openSandbox } from "../workspace/open-sandbox.ts";
import type { SandboxHost } from "../workspace/sandbox/host.ts";
import type { Sandbox } from "../workspace/workspace.ts";
import type { SessionServices } from "./services.ts";

const NOT_NEEDED = "not needed: nothing in this scenario can run a command";

export interface SessionSandbox {
  readonly sandbox: Sandbox;
  /** What is to be said of it. */
  readonly note: string | null;
  /** The note is a warning: commands will run. */
  readonly needed: boolean;
}

/**
 * The sandbox of a session. One that no command can use is not tried out: that costs more
 * than the rest of a small session.
 * @throws Failure `sandbox_unavailable`
 */
export async function sandboxFor(
  { sandbox: mode, sandbox_host }: Pick<SessionServices, "sandbox" | "sandbox_host">,
  scenario: Scenario,
): Promise<SessionSandbox> {
  if (!canRunCommands(scenario)) return { sandbox: openSandbox("none", sandbox_host), note: NOT_NEEDED, needed: false };
  return { ...(await sandboxForCommands(mode, scenario, sandbox_host)), needed: true };
}

/** As `sandboxFor`, of a scenario in which commands run. */
export async function sandboxForCommands(
  mode: SandboxMode,
  { arms, policies }: Scenario,
  host: SandboxHost | undefined,
): Promise<Omit<SessionSandbox, "needed">> {
  const fromModel = arms.some(isRealModel);
  const chosen = await chooseSandbox(mode, fromModel, host);
  if (policies.network !== "open" || chosen.note !== null) return chosen;
  return await withOpenNetwork(chosen.sandbox, fromModel, host);
}

/** Its commands are not known beforehand. */
export const isRealModel = (arm: Arm) => !arm.model.startsWith("scripted/");

const canRunCommands = ({ task, arms }: Scenario) =>
  task.setup.length > 0 || task.probe !== null || arms.some(mayCallCommands);

function mayCallCommands(arm: Arm): boolean {
  const scripted = (arm.script ?? []).flatMap(({ calls = [] }) => calls.flatMap((call) => Object.keys(call)));
  return (isRealModel(arm) ? arm.tools : scripted).some((name) => effectOf(name) === "command");
}
