import type { WireName } from "../../domain/external-agent.ts";

const ANTHROPIC_TYPES: ReadonlyMap<number, string> = new Map([
  [400, "invalid_request_error"],
  [401, "authentication_error"],
  [403, "permission_error"],
  [404, "not_found_error"],
  [413, "request_too_large"],
  [429, "rate_limit_error"],
  [529, "overloaded_error"],
]);

const GEMINI_STATES: ReadonlyMap<number, string> = new Map([
  [400, "INVALID_ARGUMENT"],
  [401, "UNAUTHENTICATED"],
  [403, "PERMISSION_DENIED"],
  [404, "NOT_FOUND"],
  [429, "RESOURCE_EXHAUSTED"],
  [503, "UNAVAILABLE"],
]);

/** An error as the provider of a wire would report it. */
export function errorBody(wire: WireName, status: number, message: string): object {
  const isOurs = status >= 500;
  switch (wire) {
    case "anthropic":
      return {
        type: "error",
        error: { type: ANTHROPIC_TYPES.get(status) ?? (isOurs ? "api_error" : "invalid_request_error"), message },
      };
    case "gemini":
      return {
        error: {
          code: status,
          message,
          status: GEMINI_STATES.get(status) ?? (isOurs ? "INTERNAL" : "FAILED_PRECONDITION"),
        },
      };
    default:
      return { error: { message, type: isOurs ? "server_error" : "invalid_request_error", param: null, code: null } };
  }
}
