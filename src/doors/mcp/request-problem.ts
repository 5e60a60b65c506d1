import {
  CallToolRequestSchema,
  InitializeRequestSchema,
  type JSONRPCMessage,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";

const REQUESTS = {
  initialize: InitializeRequestSchema,
  "tools/list": ListToolsRequestSchema,
  "tools/call": CallToolRequestSchema,
  "resources/list": ListResourcesRequestSchema,
  "resources/templates/list": ListResourceTemplatesRequestSchema,
  "resources/read": ReadResourceRequestSchema,
} as const;

/** What is wrong with the parameters of a request. The SDK would report an internal error and dump its schema. */
export function requestProblem(message: JSONRPCMessage): string | undefined {
  if (!("method" in message) || !Object.hasOwn(REQUESTS, message.method)) return undefined;
  const schema = REQUESTS[message.method as keyof typeof REQUESTS]; // it is one of them
  const [issue] = schema.safeParse(message).error?.issues ?? [];
  if (issue === undefined) return message.method === "tools/call" ? lostArgument(message) : undefined;
  const [field, given] = [issue.path.map(String).join("."), valueAt(message, issue.path)];
  return `${message.method}: ${field} ${given === undefined ? "is missing" : "has the wrong type"}`;
}

/** The SDK's schemas drop this name from what they read, so that the tool could not refuse it as unknown. */
function lostArgument(message: JSONRPCMessage): string | undefined {
  const given = valueAt(message, ["params", "arguments"]);
  if (typeof given !== "object" || given === null || !Object.hasOwn(given, "__proto__")) return undefined;
  return `tools/call: params.arguments has an unknown field "__proto__"`;
}

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce(
    (inner, step) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, step) : undefined),
    value,
  );
