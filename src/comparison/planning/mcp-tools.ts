import { statSync } from "node:fs";
import { join } from "node:path";
import type { ArmTools } from "../../arms/tool/arm-tools.ts";
import type { Workspace } from "../../arms/workspace/workspace.ts";
import type { Arm, McpServer } from "../../domain/arm.ts";
import { Failure, ofArm } from "../../domain/failure.ts";
import { splitMcpToolName } from "../../domain/mcp-tool-name.ts";
import type { Policies } from "../../domain/policies.ts";
import type { SessionServices } from "./services.ts";

export const serversOf = ({ mcp = [] }: Arm): readonly McpServer[] => mcp;

/**
 * What the installs of an arm's servers are known by, in their order: another version is another arm.
 * @throws Failure `invalid_request` for a server whose install is not there.
 */
export async function serverDigests(
  services: Pick<SessionServices, "agents_dir">,
  arm: Arm,
): Promise<readonly string[]> {
  const servers = serversOf(arm);
  if (servers.length === 0) return [];
  const { installDigest } = await import("../../arms/recipe/install.ts");
  return await Promise.all(
    servers.map(async (server) => await installDigest(installOf(services, arm, server), entryOf(server))),
  );
}

/** The first argument that names something of its install. */
function entryOf({ name, command }: McpServer): string | null {
  const below = `/opt/mcp/${name}/`;
  return command.find((argument) => argument.startsWith(below))?.slice(below.length) ?? null;
}

type ToolServices = Pick<SessionServices, "agents_dir" | "arm_clock" | "notice" | "version">;

interface ToolPlace {
  readonly arm: Arm;
  readonly workspace: Workspace;
  readonly policies: Policies;
}

/**
 * Starts the MCP servers of an arm. Nothing is loaded for an arm that has none.
 * @throws Failure `setup_failed` when one cannot be used, `invalid_request` when its install is not there; the signal's reason
 */
export async function openMcpTools(services: ToolServices, place: ToolPlace, signal: AbortSignal): Promise<ArmTools> {
  const { arm, workspace, policies } = place;
  const servers = serversOf(arm);
  if (servers.length === 0) return NO_TOOLS;
  const { arm_clock: clock, notice, version } = services;
  const launches = servers.map((server) => ({
    ...{ server, install: installOf(services, arm, server), workspace, network: policies.network },
    ...{ read_only: policies.paths.protected, version, clock, notice: (line: string) => notice(`${arm.id}: ${line}`) },
  }));
  const { openArmTools } = await import("../../arms/tool/arm-tools.ts");
  try {
    const opened = await openArmTools(launches, signal);
    return await withRequired(opened, policies);
  } catch (error) {
    throw ofArm(arm.id, error);
  }
}

export const NO_TOOLS: ArmTools = { tools: [], bytes: 0, [Symbol.asyncDispose]: async () => undefined };

/** Now it is known whether the servers have what the scenario requires. */
async function withRequired(opened: ArmTools, { required }: Policies): Promise<ArmTools> {
  const names = opened.tools.map(({ name }) => name);
  const missing = required.find(({ tool }) => splitMcpToolName(tool) && !names.includes(tool));
  if (missing === undefined) return opened;
  await opened[Symbol.asyncDispose]();
  throw new Failure(
    "setup_failed",
    `policies.required names ${missing.tool}, which no MCP server has; they have ${names.join(", ").slice(0, 1_000)}`,
  );
}

/** The servers that an external agent starts by itself, with their installs; undefined for none. @throws Failure `invalid_request` */
export function agentServers(services: Pick<SessionServices, "agents_dir">, arm: Arm) {
  const servers = serversOf(arm);
  return servers.length === 0
    ? undefined
    : servers.map((server) => ({ ...server, install: installOf(services, arm, server) }));
}

/** Absolute. @throws Failure `invalid_request` */
function installOf({ agents_dir }: Pick<SessionServices, "agents_dir">, arm: Arm, server: McpServer): string {
  const refuse = (why: string) => {
    throw new Failure("invalid_request", `arm "${arm.id}": MCP server ${server.name}: ${why}`);
  };
  if (agents_dir === undefined)
    return refuse(`its install "${server.install}" is looked for in --agents-dir <path>, which is not given`);
  const install = join(agents_dir, server.install);
  if (statSync(install, { throwIfNoEntry: false })?.isDirectory()) return install;
  return refuse(`there is no install "${server.install}" in the directory of --agents-dir`);
}
