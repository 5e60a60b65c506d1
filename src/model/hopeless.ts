import { asText, dig } from "./lenient.ts";

/**
 * How the usual servers say that nothing is paid for, at times with the status of throttling: OpenAI three times,
 * Anthropic, gateways that quote one of them.
 */
const NO_CREDIT = /insufficient_quota|billing_hard_limit_reached|billing_not_active|credit balance is too low/i;

/** What gateways answer to what they do not have, and never will while a run lasts. */
const FINAL_STATUSES: readonly number[] = [501, 505];

/** A wrong certificate is wrong the next time too. */
const CERTIFICATE = /CERT/;

/** The account has nothing left, or never had: no try can pass before somebody pays. */
export const isOutOfCredit = (words: string): boolean => NO_CREDIT.test(words);

/** Another try would only cost time. */
export const isFinalStatus = (status: number, words: string): boolean =>
  FINAL_STATUSES.includes(status) || isOutOfCredit(words);

/** The connection was refused for what the server is, not for how it is. */
export const isFinalBreak = (cause: unknown): boolean => CERTIFICATE.test(asText(dig(cause, "code")) ?? "");
