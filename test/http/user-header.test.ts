import { expect, test } from "bun:test";
import type { SeriesListing } from "../../src/domain/series-listing.ts";
import type { SessionOutcome } from "../../src/domain/session.ts";
import type { SessionListing } from "../../src/domain/session-list.ts";
import { Semaphore } from "../../src/runtime/semaphore.ts";
import { abeval } from "../abeval.ts";
import { until } from "../turns.ts";
import { aService, jsonPost, type TestService } from "./service.ts";

const named = async ({ fetch }: TestService, path: string, body: object, user?: string) => {
  const { headers, ...rest } = jsonPost(body);
  const answer = await fetch(path, { ...rest, headers: { ...headers, ...(user !== undefined && { "x-user": user }) } });
  return (await answer.json()) as SessionOutcome & { series_id: string };
};

const aProxied = () => aService({ persistent: true, app: { user_header: "X-User" } });

/** As a proxy sends it: bytes, which a `Headers` holds one a character. */
const inBytes = (name: string) => Buffer.from(name).toString("latin1");

test("who asked is kept with a run, listed, and found by name", async () => {
  await using service = aProxied();
  const { session_id, user } = await named(service, "/api/runs", { scenario: "quick" }, "ann@example.com");
  expect(user).toBe("ann@example.com");
  await named(service, "/api/runs", { scenario: "quick" }, "bob");
  const unnamed = await named(service, "/api/runs", { scenario: "quick" });
  expect(unnamed).not.toHaveProperty("user");
  const rows: SessionListing[] = (await (await service.get("/api/sessions")).json()) as never;
  expect(rows.map((row) => row.user)).toEqual([undefined, "bob", "ann@example.com"]);
  const found: SessionListing[] = (await (await service.get("/api/sessions?user=ann%40example.com")).json()) as never;
  expect(found.map((row) => row.session_id)).toEqual([session_id]);
  expect(await (await service.get("/api/session-summary?names=all&user=bob")).json()).toMatchObject({
    sessions: 1,
    known: {
      users: [
        { name: "ann@example.com", sessions: 1 },
        { name: "bob", sessions: 1 },
      ],
    },
  });
  expect((await service.get("/api/sessions?user=")).status).toBe(422);
  expect((await service.get("/api/sessions?user=a&user=b")).status).toBe(422);
});

test("who began a series is named in it and in its trials", async () => {
  await using service = aProxied();
  const { series_id } = await named(service, "/api/series", { scenarios: ["quick"], trials: 2 }, "ann");
  const { store } = service.services;
  await until(async () => ((await store.series.read(series_id))?.state === "completed" ? true : undefined));
  const [row]: SeriesListing[] = (await (await service.get("/api/series")).json()) as never;
  expect(row).toMatchObject({ series_id, user: "ann" });
  expect((await store.list({ user: "ann" })).map(({ trial }) => trial?.series_id)).toEqual([series_id, series_id]);
});

test("a second user's run is not behind all runs of the first", async () => {
  const ended: string[] = [];
  const slots = new Semaphore(1, 100);
  const held = await slots.acquire(new AbortController().signal);
  await using service = aService({
    app: { user_header: "X-User" },
    services: {
      slots,
      news: ({ event, session_id }) => void (event === "ended" && ended.push(session_id)),
    },
  });
  const start = async (user?: string) =>
    (await named(service, "/api/runs/async", { scenario: "quick" }, user)).session_id;
  const ann: string[] = [];
  for (let n = 0; n < 6; n += 1) ann.push(await start("ann"));
  const bob = await start("bob");
  held[Symbol.dispose]();
  await until(async () => (ended.length === 7 ? true : undefined));
  expect(ended).toEqual(ann.toSpliced(1, 0, bob));
});

test("a key of one user is no key of another", async () => {
  await using service = aProxied();
  const ask = async (user: string) => {
    const { headers, ...rest } = jsonPost({ scenario: "quick" });
    const own = { "x-user": user, "idempotency-key": "1" };
    const answer = await service.fetch("/api/runs/async", { ...rest, headers: { ...headers, ...own } });
    return ((await answer.json()) as SessionOutcome).session_id;
  };
  const [ann, bob] = [await ask("ann"), await ask("bob")];
  expect(bob).not.toBe(ann);
  expect(await ask("ann")).toBe(ann);
});

test("without the setting the header is a header like any other", async () => {
  await using service = aService({ persistent: true });
  expect(await named(service, "/api/runs", { scenario: "quick" }, "ann")).not.toHaveProperty("user");
});

test.each([
  [inBytes("Søren 張"), "Søren 張"],
  ["S\u00f8ren", "Søren"],
  [inBytes("evil\u202egnp.exe\u200b\u2066"), "evilgnp.exe"],
  ["\u009b31mred\u0001", "31mred"],
  ["<img src=x onerror=alert(1)>", "<img src=x onerror=alert(1)>"],
  [" a \t  b ", "a b"],
  ["a".repeat(5_000), "a".repeat(200)],
  [inBytes("\u200b\u202e"), undefined],
  ["", undefined],
])("the name %j is kept as the text %j", async (given, kept) => {
  await using service = aProxied();
  const { user, state } = await named(service, "/api/runs", { scenario: "quick" }, given);
  expect([state, user]).toEqual(["completed", kept as string]);
});

test("a header that is none, or holds a password, is refused at the start", async () => {
  for (const name of ["X User", "Authorization", "cookie", ""]) {
    const { status, stderr } = await abeval(["serve", "--user-header", name]);
    expect([status, stderr]).toEqual([2, expect.stringContaining("--user-header")]);
  }
});
