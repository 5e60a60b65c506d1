import {
  CallToolRequestSchema,
  type ErrorCode,
  InitializeRequestSchema,
  type JSONRPCMessage,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { excerpt } from "../../domain/excerpt.ts";
import { Failure, type FailureCode } from "../../domain/failure.ts";
import { plainText } from "../../domain/plain-text.ts";
import { shortage } from "../../domain/shortage.ts";
import type { Services } from "../operation/operation.ts";

/** Characters of an error message. Enough for every mistake of a scenario file. */
const ERROR_CHARS = 8_000;

type Teller = Pick<Services, "notice" | "redact">;

/** What a client hears of an error, without secrets. A fault of ours is told in the log alone. */
export const errorText = (error: unknown, services: Teller): string =>
  excerpt(plainText(services.redact(explained(error, services))), ERROR_CHARS);

/** What a model can do about a failure, by its code. */
const WAYS_OUT: Partial<Readonly<Record<FailureCode, string>>> = {
  unknown_scenario: "list_scenarios shows the names",
  unknown_session: "list_sessions shows the ids",
  unknown_series: 'list_sessions with kind "series" shows the ids',
  invalid_scenario: "run_doctor with the scenario says more",
  sandbox_unavailable: "run_doctor says more",
  session_not_finished: "get_session shows how far it is",
};

function explained(thrown: unknown, { notice, redact }: Teller): string {
  const error = shortage(thrown) ?? thrown;
  if (!(error instanceof Failure)) {
    const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
    notice(plainText(redact(`internal error: ${trace}`)));
    return "internal: a fault of this server; its details are in the server's log (stderr)";
  }
  const { code, message, retryable } = error;
  const wayOut = WAYS_OUT[code] ?? (retryable ? "the same call may succeed later" : undefined);
  return `${code}: ${wayOut === undefined ? message : `${open(message)} ${wayOut}`}`;
}

/** Ends a sentence so that another may follow. A question keeps its mark. */
const open = (sentence: string) => (sentence.endsWith("?") ? sentence : `${sentence.replace(/\.$/, "")};`);

/** The protocol's error code for a resource that is not there. */
export const RESOURCE_NOT_FOUND = -32002;

/** A request that is refused. The SDK's own error puts its code before the message, and so does the client that reads it. */
export class RequestError extends Error {
  readonly code: ErrorCode | typeof RESOURCE_NOT_FOUND;
  readonly data: object | undefined;

  constructor(code: RequestError["code"], message: string, data?: object) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

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

/** Finds `__proto__`, which the SDK's schemas drop, so that no tool could refuse it as unknown. */
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
