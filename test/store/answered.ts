import { EXAMPLES } from "../../src/doors/endpoint/examples.ts";
import type { SessionStore } from "../../src/store/store.ts";
import { anOutcome } from "../outcomes.ts";
import { begin, COMPLETED } from "../stored.ts";

export const idOf = (n: number) => `session-sample-20260102T0304${String(n).padStart(5, "0")}Z`;

const AT = "2026-01-02T03:04:06.000Z";

/** A session that has completed, whose left arm answered. */
export async function answered(store: SessionStore, id: string, final_answer: string): Promise<void> {
  const run = await begin(store, anOutcome(id, { state: "running" }));
  const summary = { ...anOutcome(id).arms[0], status: "finished", final_answer } as const;
  await store.append(run, [{ type: "arm_ended", at: AT, arm_id: "left", summary } as never], "written");
  await store.append(run, [{ type: "judged", verdict: { ...EXAMPLES.verdict, kind: "run" } }, COMPLETED], "durable");
}

/** By session, what its left arm answered. */
export const answersIn = async (store: SessionStore, ids: readonly string[]) =>
  [...(await store.work(ids))].map(([id, { cells }]) => [id, cells[0]?.answer]);
