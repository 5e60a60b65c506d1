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
import type { TObject, TSchema } from "@sinclair/typebox";
import { Failure } from "../../domain/failure.ts";
import { publish, type SchemaObject, withoutPatterns } from "../../domain/published-schema.ts";
import { checkInput } from "../operation/check-input.ts";
import type { Services } from "../operation/operation.ts";
import { errorText, RequestError } from "./errors.ts";
import type { WaitingCalls } from "./open-requests.ts";
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

/**
 * The schema of what a tool answers, as short as possible, since a client may read all of them before its first question:
 * the type of each field, no bounds and no prose. The HTTP API's document has the rest. A client that keeps the list can also
 * read the answers of a later version: objects stay open, and so do long vocabularies, which grow.
 */
export const outputSchema = (schema: TObject): InlineObject => ({
  ...shapeOf(schema),
  type: "object",
});

/** Keywords that a client needs to read an answer. */
const TOLD = ["type", "const", "enum", "properties", "required", "items", "additionalProperties", "anyOf"];

/** Longer vocabularies (flags, failure codes, decision kinds) are described as strings, because later versions add words. */
const MOST_BYTES_OF_WORDS = 80;

function shapeOf(schema: TSchema): SchemaObject {
  const published = withoutPatterns(publish(schema, shapeOf));
  const words = published["enum"];
  if (words !== undefined)
    return JSON.stringify(words).length > MOST_BYTES_OF_WORDS ? { type: "string" } : { enum: words };
  if ("const" in published) return { const: published["const"] };
  // `additionalProperties: false` would close the object.
  const isOpen = published["additionalProperties"] !== false;
  const told = TOLD.filter((keyword) => keyword in published && (isOpen || keyword !== "additionalProperties"));
  return nullJoined(Object.fromEntries(told.map((keyword) => [keyword, published[keyword]])));
}

/** A choice with null in its shortest words. */
function nullJoined(schema: SchemaObject): SchemaObject {
  const [shape, none, ...others] = (schema["anyOf"] ?? []) as readonly SchemaObject[];
  if (shape === undefined || none?.["type"] !== "null" || others.length > 0) return schema;
  if (Array.isArray(shape["enum"])) return { enum: [...shape["enum"], null] };
  return "type" in shape ? { ...shape, type: [shape["type"], "null"] } : schema;
}

/** The schema of an object, as MCP asks for tools. */
interface InlineObject extends SchemaObject {
  readonly type: "object";
}

/** The schema without names: one that occurs twice in a document breaks MCP clients. @throws Error for what is no object */
export function inlineObject(schema: TSchema): InlineObject {
  const inlined = publish(schema, inline);
  if (inlined["type"] !== "object") throw new Error(`${schema.$id ?? "a schema"} is not that of an object`);
  return { ...inlined, type: "object" };
}

const inline = (schema: TSchema): SchemaObject => publish(schema, inline);
