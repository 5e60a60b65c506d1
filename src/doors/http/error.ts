import type { TSchema } from "@sinclair/typebox";
import { type Context, ParseError, ValidationError } from "elysia";
import { didYouMeanAmong } from "../../domain/did-you-mean.ts";
import type { ErrorBody } from "../../domain/error-body.ts";
import { Failure, type FailureCode } from "../../domain/failure.ts";
import { plainText } from "../../domain/plain-text.ts";
import { shortage } from "../../domain/shortage.ts";
import { firstProblem } from "../operation/check-input.ts";
import type { Services } from "../operation/operation.ts";

interface ErrorKind {
  readonly status: number;
  /** What the code means, for the document. */
  readonly meaning: string;
  /** Seconds after which a new try makes sense. */
  readonly retry_after_s?: number;
  /** Replaces the message, which may name directories of the host and goes to the log. */
  readonly hidden?: string;
}

/** The only table from failure codes to status codes. */
export const ERRORS: Readonly<Record<FailureCode, ErrorKind>> = {
  invalid_request: { status: 422, meaning: "The request is well-formed but does not fit; the field is named." },
  unknown_scenario: { status: 404, meaning: "There is no scenario of that name." },
  unknown_session: { status: 404, meaning: "There is no session of that id." },
  unknown_series: { status: 404, meaning: "There is no series of that id." },
  series_not_running: { status: 409, meaning: "The series has ended, or runs in another process." },
  unknown_arm: { status: 404, meaning: "The session has no arm of that id." },
  unknown_self_test: { status: 404, meaning: "There is no self-test of that id." },
  unknown_route: { status: 404, meaning: "There is nothing at this path." },
  not_live: { status: 404, meaning: "No run of that id is in flight; read the session instead." },
  method_not_allowed: { status: 405, meaning: "The path knows other methods; `Allow` lists them." },
  session_not_finished: {
    status: 409,
    meaning: "What was requested does not exist yet: the evidence of an arm, or a verdict.",
  },
  body_too_large: { status: 413, meaning: "The body, or the scenario in it, is larger than the limit that is named." },
  unsupported_media_type: { status: 415, meaning: "The body must be sent as application/json." },
  scenario_mismatch: { status: 422, meaning: "Arms of different scenarios cannot be compared." },
  invalid_scenario: { status: 422, meaning: "The scenario file has a mistake; file, line and field are named." },
  credentials_missing: { status: 422, meaning: "A model's provider has no credentials; the variable is named." },
  not_allowed: { status: 403, meaning: "This server was started without the flag that allows it; the flag is named." },
  precondition_required: {
    status: 428,
    meaning: "A scenario is made with `If-None-Match: *`, and replaced with `If-Match: <its ETag>`.",
  },
  precondition_failed: { status: 412, meaning: "There is such a scenario, or it is no longer what the ETag named." },
  forbidden_origin: { status: 403, meaning: "Pages of this origin may read, and start nothing." },
  forbidden_host: { status: 403, meaning: "The Host header is not an allowed host." },
  overloaded: {
    status: 503,
    meaning:
      "Too many sessions are waiting, this could push the day's cost over its limit, no more work is taken (`abeval drain`), or the machine has run out of something, such as descriptors; `details.reason` says which.",
    retry_after_s: 10,
  },
  not_ready: {
    status: 503,
    meaning: "The database does not answer or takes no writes, or the server is stopping or drained; nothing was done.",
    retry_after_s: 2,
  },
  sandbox_unavailable: { status: 503, meaning: "Commands of a model need a sandbox, and none works here." },
  storage_full: {
    status: 507,
    meaning: "No space is left in the state directory, or on the disk of the database.",
    hidden: "no space is left in the state directory, or on the disk of the database: free some and try again",
  },
  storage_failed: {
    status: 500,
    meaning: "The session store could not be read or written.",
    hidden: "the session store could not be read or written",
  },
  newer_version: {
    status: 409,
    meaning: "What is stored was written by a newer version of abeval, which this one cannot read: ask that one.",
  },
  provider_failed: { status: 502, meaning: "A model's provider failed or could not be reached." },
  cost_limit_reached: {
    status: 422,
    meaning: "The run's `max_cost_usd` does not pay for its next call. What it spent until then is in the session.",
  },
  replay_mismatch: { status: 500, meaning: "A replayed run asked a model what was not recorded; the place is named." },
  unsupported_request: {
    status: 422,
    meaning: "An external agent asked its provider for what abeval does not serve; it is named.",
  },
  setup_failed: { status: 500, meaning: "A setup step of the scenario failed." },
  workspace_failed: { status: 500, meaning: "A workspace could not be made or read." },
  killed_from_outside: {
    status: 503,
    meaning:
      "Something outside ended what an arm or a check ran: nothing was judged, and the same run may be asked for again.",
    retry_after_s: 10,
  },
  cancelled: { status: 499, meaning: "The run was cancelled." },
  interrupted: { status: 503, meaning: "The server stopped before the run was done.", retry_after_s: 10 },
  internal: { status: 500, meaning: "A fault of this program; its log has the details under the id." },
};

/** A request that cannot be read at all: the one `invalid_request` that is a 400. */
export class UnreadableRequest extends Failure {
  static readonly status = 400;
  static readonly meaning = "The request cannot be read: bad JSON, bad encoding, bad Host.";

  constructor(message: string, options: { cause?: unknown } = {}) {
    super("invalid_request", message, options);
  }
}

interface Route {
  readonly method: string;
  readonly path: string;
}

interface Thrown {
  readonly code: string | number;
  readonly error: unknown;
  readonly request: Request;
  readonly set: Context["set"];
}

type Teller = Pick<Services, "entropy" | "notice" | "redact">;

/** Every error leaves in this shape, whatever happened and wherever. */
export function answerError({ set, ...thrown }: Thrown, routes: readonly Route[], services: Teller): ErrorBody {
  const failure = presentable(meant(thrown, routes), services);
  const { code, message, details, retryable } = failure;
  set.status = failure instanceof UnreadableRequest ? UnreadableRequest.status : ERRORS[code].status;
  set.headers["cache-control"] = "no-store";
  const allowed = code === "method_not_allowed" ? details?.["allowed"] : undefined;
  if (Array.isArray(allowed)) set.headers.allow = allowed.join(", ");
  const retry_after_s = retryable ? (details?.["retry_after_s"] ?? ERRORS[code].retry_after_s) : undefined;
  if (retry_after_s !== undefined) set.headers["retry-after"] = String(retry_after_s);
  return {
    error: {
      code,
      message: plainText(services.redact(message)),
      ...(details && { details: plainTexts(details, services.redact) as typeof details }), // the same keys
    },
  };
}

/** The same for every text in a value, without the secrets that `redact` takes out; keys stay. */
function plainTexts(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === "string") return plainText(redact(value));
  if (Array.isArray(value)) return value.map((item) => plainTexts(item, redact));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plainTexts(item, redact)]));
}

/** Translates what the framework throws. */
function meant({ code, error, request }: Omit<Thrown, "set">, routes: readonly Route[]): unknown {
  if (code === "NOT_FOUND") return noRoute(request, routes);
  if (error instanceof ParseError) return error.cause;
  // Both are one to a client: the database is away, and comes back.
  if (error instanceof Failure && error.code === "storage_failed" && error.retryable) return away(error);
  if (!(error instanceof ValidationError)) return shortage(error) ?? error;
  if (error.type === "response") return brokenAnswer(request, error);
  // A parameter of a path fits unless its escapes cannot be decoded.
  if (error.type === "params") return nothingAt(request);
  const { schema } = error.validator as { schema: TSchema }; // every schema of ours is compiled
  return firstProblem(schema, error.value) ?? error;
}

function away(cause: Failure): Failure {
  const { why = "the database cannot be reached, or takes no writes; try again", session_id } = cause.details ?? {};
  const run = session_id !== undefined && { details: { session_id } };
  return new Failure("not_ready", `${why}`, { cause, retryable: true, ...run });
}

/** The message leaves the value out: it may be large or private. */
const brokenAnswer = ({ method, url }: Request, { valueError }: ValidationError) =>
  new Error(
    `the answer to ${method} ${new URL(url).pathname} breaks its schema at "${valueError?.path}": ${valueError?.message}`,
  );

function noRoute(request: Request, routes: readonly Route[]): Failure {
  const allowed = allowedMethods(routes, new URL(request.url).pathname);
  if (allowed.length === 0) return nothingAt(request, routes);
  return new Failure(
    "method_not_allowed",
    `${shownPath(request)} answers ${allowed.join(", ")}, not ${request.method}`,
    { details: { allowed } },
  );
}

function nothingAt(request: Request, routes: readonly Route[] = []): Failure {
  const paths = routes.flatMap(({ path }) => (path.startsWith("/api/") && !path.includes(":") ? [path] : []));
  const told = didYouMeanAmong(new URL(request.url).pathname, paths, "the routes are listed at /api/openapi.json");
  return new Failure("unknown_route", `there is nothing at ${shownPath(request)}${told}`);
}

const shownPath = ({ url }: Request) => JSON.stringify(new URL(url).pathname.slice(0, 100));

/** The methods that a path of the API knows; empty when there is nothing at it. */
function allowedMethods(routes: readonly Route[], pathname: string): readonly string[] {
  const given = pathname.replace(/\/$/, "").split("/");
  const methods = routes.filter(({ path }) => path.startsWith("/api/") && matches(path.split("/"), given));
  if (methods.length === 0) return [];
  const names = methods.map(({ method }) => method);
  return [...names, ...(names.includes("GET") ? ["HEAD"] : []), "OPTIONS"];
}

const matches = (steps: readonly string[], given: readonly string[]) =>
  steps.length === given.length && steps.every((step, i) => step.startsWith(":") || step === given[i]);

/**
 * What a client may hear of an error. A fault of ours, or a message that may name the host's directories, becomes an id
 * under which the log explains it.
 */
function presentable(error: unknown, { entropy, notice, redact }: Teller): Failure {
  const hidden = error instanceof Failure ? ERRORS[error.code].hidden : "an internal error";
  if (error instanceof Failure && hidden === undefined) return error;
  const id = entropy(6);
  notice(plainText(redact(`error ${id}: ${traceOf(error)}`)));
  const [code, retryable] = error instanceof Failure ? [error.code, error.retryable] : (["internal", false] as const);
  return new Failure(code, `${hidden}; the server's log says more under ${id}`, { retryable, details: { id } });
}

function traceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? "" : `\ncaused by ${traceOf(error.cause)}`;
  return `${error.stack ?? error.message}${cause}`;
}
