import type { Page } from "playwright-core";
import type { SessionListing, SessionSummary } from "../../src/domain/session-list.ts";
import { withUsers } from "../../src/store/page-sessions.ts";

/** The nth oldest of many sessions. */
const session = (n: number): SessionListing => ({
  session_id: `session-quick-20260101T${String(n).padStart(9, "0")}Z`,
  scenario: "quick",
  state: "completed",
  created_at: "2026-01-01T00:00:00.000Z",
  finished_at: "2026-01-01T00:00:01.000Z",
  arms: ["short", "long"].map((arm_id) => ({ arm_id, model: "scripted/x", status: "finished" })),
  outcome: "tie",
  winner: null,
  confidence: "low",
  judge_model: "builtin/evidence",
  title: "A quick one",
  cost_usd: null,
  wall_ms: 1_000,
  verdicts: 1,
  conflict: false,
  flags: [],
});

/**
 * The server has so many sessions, whatever is asked of them, newest first; `changes` has what is special about one, by its place
 * in the list. Gives what was asked for.
 */
export async function manySessions(
  page: Page,
  many: number | (() => number),
  changes: (index: number) => Partial<SessionListing> = () => ({}),
): Promise<readonly Record<string, string>[]> {
  const asked: Record<string, string>[] = [];
  const now = () => (typeof many === "number" ? many : many());
  await page.route(/\/api\/session-summary/, (route) =>
    route.fulfill({
      json: summaryOf(
        now(),
        [0, 1].flatMap((index) => changes(index).user ?? []),
      ),
    }),
  );
  await page.route(/\/api\/sessions\?/, (route) => {
    const query = Object.fromEntries(new URL(route.request().url()).searchParams);
    asked.push(query);
    const [first, limit] = [Number(query["offset"] ?? 0), Number(query["limit"])];
    const length = Math.max(0, Math.min(limit, now() - first));
    const rows = Array.from({ length }, (_, index) => ({
      ...session(now() - first - index),
      ...changes(first + index),
    }));
    return route.fulfill({ json: rows });
  });
  return asked;
}

const summaryOf = (sessions: number, users: readonly string[]): SessionSummary => ({
  sessions,
  results: [{ name: "tie", sessions }],
  conflicts: 0,
  cost_usd: null,
  cost_unknown: sessions,
  wall_ms: sessions * 1_000,
  known: {
    scenarios: [{ name: "quick", sessions }],
    models: [],
    judges: [],
    ...withUsers(users.map((name) => ({ name, sessions: 1 }))),
  },
});
