import { expect, test } from "bun:test";
import type { SessionOutcome } from "../../src/domain/session.ts";
import type { SessionListing, SessionSummary } from "../../src/domain/session-list.ts";
import { aService, type TestService } from "./service.ts";

async function ran(service: TestService, scenario: string): Promise<string> {
  const { session_id } = (await (await service.post("/api/runs", { scenario })).json()) as SessionOutcome;
  return session_id;
}

const listed = async (response: Response) =>
  ((await response.json()) as SessionListing[]).map(({ session_id }) => session_id);

test("sessions are filtered and put in order by the server, page by page", async () => {
  await using service = aService({ persistent: true });
  const [first, other, last] = [await ran(service, "quick"), await ran(service, "other"), await ran(service, "quick")];
  const list = async (query: string) => await listed(await service.get(`/api/sessions?${query}`));
  expect(await list("model=scripted%2Fleft&text=scenario%20QUICK&judge=builtin%2Fevidence")).toEqual([last, first]);
  expect(await list("text=nothing-of-that-name")).toEqual([]);
  expect(await list("outcome=invalid")).toEqual([]);
  expect(await list("conflict=only")).toEqual([]);
  const page = await service.get("/api/sessions?sort=scenario&order=asc&limit=2");
  expect(await listed(page)).toEqual([other, last]);
  const [, next] = /^<(.+)>; rel="next"$/.exec(page.headers.get("link") ?? "") ?? [];
  const rest = await service.get(next ?? "");
  expect(await listed(rest)).toEqual([first]);
  expect(rest.headers.get("link")).toBeNull();
});

test("all sessions are sent in pages that are read at the client's pace", async () => {
  await using service = aService({ persistent: true });
  const { store } = service.services;
  await ran(service, "quick");
  const [row = expect.unreachable()] = await store.list();
  const ids = Array.from({ length: 1_203 }, (_, n) => `session-quick-20260102T${String(n).padStart(9, "0")}Z`);
  const asked: (number | undefined)[] = [];
  const list: typeof store.list = async ({ limit, before } = {}) => {
    asked.push(limit);
    const from = before === undefined ? 0 : ids.indexOf(before) + 1;
    return ids.slice(from, limit && from + limit).map((session_id) => ({ ...row, session_id }));
  };
  Object.assign(store, { list });
  const answer = await service.get("/api/sessions");
  expect(answer.headers.get("content-type")).toStartWith("application/json");
  expect(await listed(answer)).toEqual(ids);
  expect(asked).toEqual([500, 500, 500]);
  const dear = await service.get("/api/sessions?sort=cost");
  expect(dear.headers.get("link")).toEndWith('sort=cost&offset=500>; rel="next"');
  expect(await listed(dear)).toHaveLength(500);
});

test("a summary of sessions says how they ended, and names what there is when asked", async () => {
  await using service = aService({ persistent: true });
  await ran(service, "quick");
  await ran(service, "other");
  const summary = async (query: string) =>
    (await (await service.get(`/api/session-summary?${query}`)).json()) as SessionSummary;
  expect(await summary("scenario=other&names=all")).toMatchObject({
    sessions: 1,
    results: [{ sessions: 1 }],
    conflicts: 0,
    cost_usd: 0,
    cost_unknown: 0,
    known: {
      scenarios: [
        { name: "other", sessions: 1 },
        { name: "quick", sessions: 1 },
      ],
      judges: [{ name: "builtin/evidence", sessions: 2 }],
    },
  });
  expect(await summary("state=failed")).not.toHaveProperty("known");
});

test("sessions that only memory holds are in no summary", async () => {
  await using service = aService();
  await ran(service, "quick");
  expect(await (await service.get("/api/session-summary")).json()).toMatchObject({ sessions: 0, cost_usd: null });
});

test.each([
  ["sort=price", "sort"],
  ["order=up", "order"],
  ["offset=-1", "offset"],
  ["conflict=yes", "conflict"],
  ["text=a%20b%20c%20d%20e%20f%20g%20h%20i", "text"],
  [`text=${"x".repeat(201)}`, "text"],
  ["outcome=won", "outcome"],
])("?%s is refused and named", async (query, field) => {
  await using service = aService({ persistent: true });
  const response = await service.get(`/api/sessions?${query}`);
  expect(response.status).toBe(422);
  expect(await response.json()).toMatchObject({ error: { code: "invalid_request", details: { field } } });
});
