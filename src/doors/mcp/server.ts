import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import {
  type CallToolRequest,
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  type ServerNotification,
  type ServerRequest,
} from "@modelcontextprotocol/sdk/types.js";
import { Failure } from "../../domain/failure.ts";
import { checkInput } from "../operation/check-input.ts";
import type { Services } from "../operation/operation.ts";
import { errorText, RequestError } from "./errors.ts";
import type { WaitingCalls } from "./open-requests.ts";
import { inlineObject, outputSchema } from "./output-schema.ts";
import { listResources, readResource, TEMPLATES } from "./resources.ts";
import { type CallContext, type McpTool, protocolResult } from "./tool.ts";
import { getScenario } from "./tools/get-scenario.ts";
import { getSession } from "./tools/get-session.ts";
import { listScenarios } from "./tools/list-scenarios.ts";
import { listSessions } from "./tools/list-sessions.ts";
import { rejudge } from "./tools/rejudge.ts";
import { runDoctor } from "./tools/run-doctor.ts";
import { runScenario } from "./tools/run-scenario.ts";

const INSTRUCTIONS = [
  "abeval compares two agents (arms) on one task: each works in its own sandbox, hidden checks test its result, and a judge that does not know which arm is which scores both.",
  "To find out which of two prompts, models or settings is better: list_scenarios, get_scenario, run_doctor, then run_scenario with wait_seconds, or without it and get_session until the state is final.",
  "A verdict describes one run of each arm: run_scenario with stop_when_sure repeats it until enough is known, and says how sure that is. Look at detail criteria for the reasons before you rely on it; rejudge gives a second opinion without running anything again.",
].join("\n");

/** The operations over MCP: seven tools, and scenarios and sessions as resources. */
export function createMcpServer(services: Services, calls: WaitingCalls): Server {
  const server = new Server(
    { name: "abeval", title: "abeval", version: services.version },
    { capabilities: { tools: {}, resources: {} }, instructions: INSTRUCTIONS },
  );
  const tools = TOOLS.map(describeTool);
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, extra): Promise<CallToolResult> => {
    const context = { signal: extra.signal, ...progressTeller(params, extra) };
    return calls.track(callTool(services, toolNamed(params), params.arguments, context));
  });
  server.setRequestHandler(ListResourcesRequestSchema, ({ params }, { signal }) =>
    listResources(services, params?.cursor, signal),
  );
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: TEMPLATES }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }, { signal }) =>
    readResource(services, params.uri, signal),
  );
  return server;
}

type Extra = Pick<RequestHandlerExtra<ServerRequest, ServerNotification>, "sendNotification">;

/** Sends progress under the token that the client gave. Empty without a token. */
function progressTeller({ _meta }: CallToolRequest["params"], extra: Extra): Pick<CallContext, "tell"> {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return {};
  let progress = 0;
  return {
    tell(message) {
      progress += 1;
      return extra.sendNotification({
        method: "notifications/progress",
        params: { progressToken, progress, message },
      });
    },
  };
}

function describeTool({ name, title, description, input, output, annotations }: McpTool) {
  return {
    name,
    title,
    description,
    inputSchema: { ...inlineObject(input) },
    outputSchema: { ...outputSchema(output) },
    annotations: { ...annotations },
  };
}

function toolNamed({ name }: CallToolRequest["params"]): McpTool {
  const tool = TOOLS.find((candidate) => candidate.name === name);
  if (tool) return tool;
  const known = TOOLS.map((candidate) => candidate.name).join(", ");
  const asked = JSON.stringify(name.slice(0, 64));
  throw new RequestError(ErrorCode.InvalidParams, `there is no tool ${asked}; tools: ${known}`);
}

/** The seven tools, in the order in which a newcomer needs them. */
export const TOOLS: readonly McpTool[] = [
  listScenarios,
  getScenario,
  runDoctor,
  runScenario,
  listSessions,
  getSession,
  rejudge,
];

/** Never rejects: what goes wrong is a result that the model can read and act on. */
async function callTool(
  services: Services,
  tool: McpTool,
  given: unknown,
  context: CallContext,
): Promise<CallToolResult> {
  try {
    const input = checkInput(tool.input, withoutNulls(given ?? {}));
    if (tool.live && !services.store.persistent) throw needsStateDirectory(tool.name);
    return protocolResult(await tool.call(services, input, context));
  } catch (error) {
    return { content: [{ type: "text", text: errorText(error, services) }], isError: true };
  }
}

/** Some models must fill every field of a schema. They write null for a field that they would leave out. */
function withoutNulls(given: unknown): unknown {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return given;
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
}

const needsStateDirectory = (name: string) =>
  new Failure(
    "invalid_request",
    `${name} needs a state directory, and this server was started without one; start it as: abeval mcp --state-dir <path>`,
  );
