import { describe, test } from "bun:test";
import type { Need } from "./machine.ts";

type Register = (title: string, body: () => void | Promise<void>, timeout_ms?: number) => void;

export const testNeeding = (...needs: readonly Need[]): Register => register(test, needs);

export const describeNeeding = (...needs: readonly Need[]): ((title: string, body: () => void) => void) =>
  register(describe, needs);

function register(kind: { (...args: Parameters<Register>): void; skip: Register }, needs: readonly Need[]): Register {
  const missing = needs.filter(({ met }) => !met).map(({ what }) => what);
  if (missing.length === 0) return kind;
  return (title, body, timeout_ms) => kind.skip(`${title} [needs ${missing.join(", ")}]`, body, timeout_ms);
}
