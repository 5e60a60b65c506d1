import type { DoctorCheck } from "../../domain/health.ts";

/** The result of one check. */
export type Finding = Pick<DoctorCheck, "status" | "detail" | "hint">;

/** One check of doctor. */
export interface Check<Subject> {
  readonly id: string;
  readonly title: string;
  /** Ids of earlier checks: after a fail or a skip of one of them this one is skipped. */
  readonly needs?: readonly string[];
  /** An error becomes a fail. The message of a Failure is shown as it is. */
  run(subject: Subject, signal: AbortSignal): Finding | Promise<Finding>;
}

export const pass = (detail: string): Finding => ({ status: "pass", detail, hint: null });

export const warn = (detail: string, hint: string): Finding => ({ status: "warn", detail, hint });

export const fail = (detail: string, hint: string | null): Finding => ({ status: "fail", detail, hint });

/** There is nothing to check, or no way to check it. */
export const skip = (detail: string): Finding => ({ status: "skip", detail, hint: null });
