/**
 * Two kinds of failure. A Mistake is the model's: data it reads and can correct, the arm goes on.
 * A Failure is ours, the user's or the provider's: thrown, with a code that is part of the interface.
 */
export const FAILURE_CODES = [
  "invalid_request",
  "unknown_scenario",
  "unknown_session",
  "unknown_arm",
  "unknown_series",
  "series_not_running",
  "unknown_self_test",
  "unknown_route",
  "not_live",
  "method_not_allowed",
  "session_not_finished",
  "body_too_large",
  "unsupported_media_type",
  "scenario_mismatch",
  "invalid_scenario",
  "credentials_missing",
  "not_allowed",
  "precondition_required",
  "precondition_failed",
  "forbidden_host",
  "forbidden_origin",
  "overloaded",
  "not_ready",
  "sandbox_unavailable",
  "storage_full",
  "storage_failed",
  "newer_version",
  "provider_failed",
  "cost_limit_reached",
  "replay_mismatch",
  "unsupported_request",
  "setup_failed",
  "workspace_failed",
  "killed_from_outside",
  "cancelled",
  "interrupted",
  "internal",
] as const;
export type FailureCode = (typeof FAILURE_CODES)[number];

interface FailureOptions {
  readonly cause?: unknown;
  /** The same request may succeed later, unchanged. */
  readonly retryable?: boolean;
  /** Extra facts for a machine; never a secret, never a host path. */
  readonly details?: Readonly<Record<string, unknown>>;
}

export class Failure extends Error {
  override readonly name = "Failure";
  readonly code: FailureCode;
  readonly retryable: boolean;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(code: FailureCode, message: string, options: FailureOptions = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.details = options.details;
  }
}

/** The same failure, said of the arm that had it: both arms may ask one provider. What is no Failure stays what it is. */
export const ofArm = (arm_id: string, error: unknown): unknown => saidOf(`arm "${arm_id}"`, error);

/** The same of a hidden check. */
export const ofCheck = (check_id: string, error: unknown): unknown => saidOf(`check "${check_id}"`, error);

function saidOf(who: string, error: unknown): unknown {
  if (!(error instanceof Failure)) return error;
  const { code, message, retryable, details } = error;
  return new Failure(code, `${who}: ${message}`, { cause: error, retryable, ...(details && { details }) });
}

/** Something that belongs to neither arm ended what ran for a run: nobody's loss. */
export const isKilledFromOutside = (error: unknown): error is Failure =>
  error instanceof Failure && error.code === "killed_from_outside";

/** A limit for arms and judge together is used up: no arm's loss. */
export const isCostLimit = (error: unknown): error is Failure =>
  error instanceof Failure && error.code === "cost_limit_reached";

/** The value; a Failure is thrown. */
export function orThrow<T>(result: T | Failure): T {
  if (result instanceof Failure) throw result;
  return result;
}

/** What a model did wrong, in words that it can act on. */
export class Mistake extends Error {
  override readonly name = "Mistake";
}

/** What was thrown, in words: a thrown value need not be an Error. */
export const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The system's word for what went wrong, such as `ENOSPC`; undefined for any other error. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
