import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { excerpt } from "../domain/excerpt.ts";
import { Failure, type FailureCode } from "../domain/failure.ts";
import { plainText } from "../domain/plain-text.ts";
import { checkInput } from "../operation/check-input.ts";
import type { Services } from "../operation/services.ts";
import { type CallContext, resultOf, type Tool } from "./tool.ts";

/** Characters of an error message. Enough for every mistake of a scenario file. */
const ERROR_CHARS = 8_000;

/** Never rejects: what goes wrong is a result that the model can read and act on. */
export async function callTool(
  services: Services,
  tool: Tool,
  given: unknown,
  context: CallContext,
): Promise<CallToolResult> {
  try {
    const input = checkInput(tool.input, withoutNulls(given ?? {}));
    if (tool.live && !services.store.persistent) throw needsStateDirectory(tool.name);
    return resultOf(await tool.call(services, input, context));
  } catch (error) {
    return {
      content: [{ type: "text", text: excerpt(plainText(services.redact(errorText(error, services))), ERROR_CHARS) }],
      isError: true,
    };
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

/** What a model can do about a failure, by its code. */
const WAYS_OUT: Partial<Readonly<Record<FailureCode, string>>> = {
  unknown_scenario: "list_scenarios shows the names",
  unknown_session: "list_sessions shows the ids",
  unknown_series: 'list_sessions with kind "series" shows the ids',
  invalid_scenario: "run_doctor with the scenario says more",
  sandbox_unavailable: "run_doctor says more",
  session_not_finished: "get_session shows how far it is",
};

function errorText(error: unknown, { notice, redact }: Services): string {
  if (!(error instanceof Failure)) {
    const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
    notice(plainText(redact(`internal error: ${trace}`)));
    return "internal: a fault of this server; its details are in the server's log (stderr)";
  }
  const { code, message, retryable } = error;
  const wayOut = WAYS_OUT[code] ?? (retryable ? "the same call may succeed later" : undefined);
  return `${code}: ${message}${wayOut === undefined ? "" : `; ${wayOut}`}`;
}
