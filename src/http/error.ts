import { Failure, type FailureCode } from "../domain/failure.ts";
import type { ErrorBody } from "../domain/health.ts";
import { plainText, plainTexts } from "../domain/plain-text.ts";
import { readable } from "./every-origin.ts";
import { UnreadableRequest } from "./unreadable-request.ts";

interface ErrorKind {
  readonly status: number;
  /** What the code means, for the document. */
  readonly meaning: string;
  /** Seconds after which a new try makes sense. */
  readonly retry_after_s?: number;
  /** The message may name directories of the host: it goes to the log, and this says so. */
  readonly hidden?: string;
}

/** The only table from failure codes to status codes. */
export const ERRORS: Readonly<Record<FailureCode, ErrorKind>> = {
  invalid_request: { status: 422, meaning: "The request is well-formed but does not fit; the field is named." },
  unknown_scenario: { status: 404, meaning: "There is no scenario of that name." },
  unknown_session: { status: 404, meaning: "There is no session of that id." },
  unknown_arm: { status: 404, meaning: "The session has no arm of that id." },
  unknown_route: { status: 404, meaning: "There is nothing at this path." },
  not_live: { status: 404, meaning: "No run of that id is in flight; read the session instead." },
  method_not_allowed: { status: 405, meaning: "The path knows other methods; `Allow` lists them." },
  session_not_finished: { status: 409, meaning: "An arm has no evidence to judge yet." },
  body_too_large: { status: 413, meaning: "The body is larger than 1 MiB." },
  unsupported_media_type: { status: 415, meaning: "The body must be sent as application/json." },
  scenario_mismatch: { status: 422, meaning: "Arms of different scenarios cannot be compared." },
  invalid_scenario: { status: 422, meaning: "The scenario file has a mistake; file, line and field are named." },
  credentials_missing: { status: 422, meaning: "A model's provider has no credentials; the variable is named." },
  forbidden_origin: { status: 403, meaning: "Pages of this origin may read, and start nothing." },
  forbidden_host: { status: 403, meaning: "The Host is not one of those that were allowed." },
  overloaded: {
    status: 503,
    meaning:
      "Too many sessions are waiting, or this could push the day's cost over its limit; `details.reason` says which.",
    retry_after_s: 10,
  },
  sandbox_unavailable: { status: 503, meaning: "Commands of a model need a sandbox, and none works here." },
  storage_full: {
    status: 507,
    meaning: "No space is left in the state directory.",
    hidden: "no space is left in the state directory: free some and try again",
  },
  storage_failed: {
    status: 500,
    meaning: "The session store could not be read or written.",
    hidden: "the session store could not be read or written",
  },
  provider_failed: { status: 502, meaning: "A model's provider failed or could not be reached." },
  setup_failed: { status: 500, meaning: "A setup step of the scenario failed." },
  workspace_failed: { status: 500, meaning: "A workspace could not be made or read." },
  cancelled: { status: 499, meaning: "The run was cancelled." },
  interrupted: { status: 503, meaning: "The server stopped before the run was done.", retry_after_s: 10 },
  internal: { status: 500, meaning: "A fault of this program; the id stands in its log." },
};

/** What `UnreadableRequest` is answered with. */
export const UNREADABLE = { status: 400, meaning: "The request cannot be read: bad JSON, bad encoding, bad Host." };

export const statusOf = (failure: Failure) =>
  failure instanceof UnreadableRequest ? UNREADABLE.status : ERRORS[failure.code].status;

/** Every error leaves in this shape, whatever happened and wherever. */
export function errorResponse(failure: Failure, redact: (text: string) => string): Response {
  const { code, message, details, retryable } = failure;
  const error: ErrorBody["error"] = {
    code,
    message: plainText(redact(message)),
    ...(details && { details: plainTexts(details) as typeof details }), // the same keys
  };
  const retry_after_s = retryable ? (details?.["retry_after_s"] ?? ERRORS[code].retry_after_s) : undefined;
  const headers = { "cache-control": "no-store", ...allowHeader(failure) };
  return Response.json(
    { error },
    {
      status: statusOf(failure),
      headers:
        retry_after_s === undefined
          ? headers
          : { ...headers, ...readable("retry-after"), "retry-after": String(retry_after_s) },
    },
  );
}

function allowHeader({ code, details }: Failure): { allow?: string } {
  const allowed = code === "method_not_allowed" ? details?.["allowed"] : undefined;
  return Array.isArray(allowed) ? { allow: allowed.join(", ") } : {};
}

/**
 * What a client may hear of an error. A fault of ours, or a message that may name the host's directories, becomes an id
 * whose explanation `log` gets.
 */
export function presentable(error: unknown, newId: () => string, log: (id: string, error: unknown) => void): Failure {
  const hidden = error instanceof Failure ? ERRORS[error.code].hidden : "an internal error";
  if (error instanceof Failure && hidden === undefined) return error;
  const id = newId();
  log(id, error);
  const [code, retryable] = error instanceof Failure ? [error.code, error.retryable] : (["internal", false] as const);
  return new Failure(code, `${hidden}; the server's log says more under ${id}`, { retryable, details: { id } });
}
