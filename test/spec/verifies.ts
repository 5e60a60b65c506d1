import { test } from "bun:test";
import { REQUIREMENTS, type RequirementId } from "./requirements.ts";

/** A test of requirements. Its title names them. */
export function verifies(
  ids: readonly RequirementId[],
  behaviour: string,
  body: () => Promise<void> | void,
  limit_ms?: number,
): void {
  for (const id of ids) if (!(id in REQUIREMENTS)) throw new Error(`no such requirement: ${id}`);
  test(`${ids.join(", ")}: ${behaviour}`, async () => await body(), limit_ms);
}
