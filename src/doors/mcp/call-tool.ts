import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { Failure } from "../../domain/failure.ts";
import { checkInput } from "../operation/check-input.ts";
import type { Services } from "../operation/services.ts";
import { errorText } from "./error-text.ts";
import { type CallContext, type McpTool, protocolResult } from "./tool.ts";

/** Never rejects: what goes wrong is a result that the model can read and act on. */
export async function callTool(
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
