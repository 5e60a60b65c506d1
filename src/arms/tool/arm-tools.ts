import { type TSchema, Type } from "@sinclair/typebox";
import type { McpServer } from "../../domain/arm.ts";
import { didYouMean } from "../../domain/did-you-mean.ts";
import { cut } from "../../domain/excerpt.ts";
import { Failure } from "../../domain/failure.ts";
import { mcpToolName } from "../../domain/mcp-tool-name.ts";
import { type ServerLaunch, serverTitle } from "./mcp/connection.ts";
import type { ListedTool } from "./mcp/listed-tools.ts";
import { ToolServer } from "./mcp/tool-server.ts";
import type { Tool } from "./tool.ts";
import { specOf } from "./tool.ts";

/** What one arm may be offered by its servers together: every turn sends all of it. */
const MAX_MCP_TOOLS = 128;
const MAX_MCP_BYTES = 256_000;

/** The tools of an arm's servers. Disposal ends the servers. */
export interface ArmTools extends AsyncDisposable {
  /** Servers as written, tools as listed. */
  readonly tools: readonly Tool[];
  /** Bytes of their names, descriptions and schemas. */
  readonly bytes: number;
}

/**
 * Starts the servers of one arm, all at the same time.
 * @throws Failure `setup_failed` naming the server that cannot be used, and why; as `Workspace.attach`; the signal's reason
 */
export async function openArmTools(launches: readonly ServerLaunch[], signal: AbortSignal): Promise<ArmTools> {
  await using servers = new AsyncDisposableStack();
  const opened = await Promise.allSettled(
    launches.map(async (launch) => {
      const server = servers.use(new ToolServer(launch));
      return toolsOf(server, launch.server, await server.list(signal));
    }),
  );
  const tools = opened.flatMap((result) => {
    if (result.status === "rejected") throw result.reason;
    return result.value;
  });
  const bytes = tools.reduce((sum, tool) => sum + bytesOf(tool), 0);
  demandFit(tools, bytes);
  const held = servers.move();
  return { tools, bytes, [Symbol.asyncDispose]: () => held.disposeAsync() };
}

function toolsOf(server: ToolServer, settings: McpServer, listed: readonly ListedTool[]): readonly Tool[] {
  const names = listed.map(({ name }) => name);
  const unknown = settings.tools?.find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw refusal(
      `${serverTitle(settings)} has no tool "${unknown}"${didYouMean(unknown, names)}; it has ${cut(names.join(", "), SHOWN_CHARS)}`,
    );
  return listed
    .filter(({ name }) => settings.tools?.includes(name) ?? true)
    .map(({ name, description, inputSchema }) => ({
      name: mcpToolName(settings.name, name),
      effect: "opaque",
      subject: null,
      description,
      input: Type.Unsafe(inputSchema) as TSchema,
      run: (input, context) => server.call(name, input as Record<string, unknown>, context), // an object: checked before
    }));
}

/** Characters of a list of names. */
const SHOWN_CHARS = 1_000;

const bytesOf = (tool: Tool) => Buffer.byteLength(JSON.stringify(specOf(tool)));

function demandFit(tools: readonly Tool[], bytes: number): void {
  const NARROW = "name those that are needed in `tools` of the server";
  if (tools.length > MAX_MCP_TOOLS)
    throw refusal(`the arm's MCP servers have ${tools.length} tools, at most ${MAX_MCP_TOOLS} are taken; ${NARROW}`);
  if (bytes > MAX_MCP_BYTES)
    throw refusal(
      `the tools of the arm's MCP servers are described in ${bytes} bytes, at most ${MAX_MCP_BYTES} are taken; ${NARROW}`,
    );
  const seen = new Set<string>();
  for (const { name } of tools) {
    if (seen.has(name))
      throw refusal(`two tools of the arm's MCP servers are called ${name}; leave one out by \`tools\``);
    seen.add(name);
  }
}

const refusal = (message: string) => new Failure("setup_failed", message);
