import { expect, test } from "bun:test";
import type { Contest, ContestMembers } from "../../src/domain/contest.ts";
import { RESULTS_BODY_BYTES } from "../../src/domain/defaults.ts";
import type { ErrorBody } from "../../src/domain/error-body.ts";
import type { Series } from "../../src/domain/series.ts";
import type { SeriesListing } from "../../src/domain/series-listing.ts";
import { turnsDuring } from "../turns.ts";
import { aService, type TestService } from "./service.ts";

const HEAD = "scenario,trial,arm,score\n";
const TABLE = `${HEAD}s,1,new,0.9\ns,1,old,0.5\ns,1,third,0\n`;

const send = (service: TestService, text: string | Uint8Array<ArrayBuffer>, { query = "", type = "text/csv" } = {}) =>
  service.fetch(`/api/series/results${query}`, { method: "POST", headers: { "content-type": type }, body: text });

async function errorOf(response: Response) {
  const { error } = (await response.json()) as ErrorBody;
  return { status: response.status, ...error };
}

test("a table of results is answered with its series, which is stored once and opens under its id", async () => {
  await using service = aService({ persistent: true });
  const asked = { query: "?arms=new,old&tie_margin=0.4&margin=0.2" };
  const series = (await (await send(service, TABLE, asked)).json()) as Series;
  expect(series).toMatchObject({
    ...{ kind: "results", imported: { measure: "score", tie_margin: 0.4 }, levels: { margin: 0.2 } },
    counts: { trials: 1, wins: 1, ties: 0 },
    result: { ahead: 0, behind: 0 },
  });
  const path = `/api/series/${series.series_id}`;
  const stored = await service.get(path);
  expect((await stored.json()) as Series).toEqual(series);
  const etag = stored.headers.get("etag") ?? "";
  expect((await service.fetch(path, { headers: { "if-none-match": etag } })).status).toBe(304);
  expect((await (await send(service, TABLE, asked)).json()) as Series).toEqual(series);
  const other = (await (await send(service, TABLE, { query: "?arms=old,third" })).json()) as Series;
  const listed = (await (await service.get("/api/series")).json()) as SeriesListing[];
  expect(listed.map(({ series_id, kind, judge_model, arms }) => [series_id, kind, judge_model, arms])).toEqual([
    [other.series_id, "results", null, ["old", "third"]],
    [series.series_id, "results", null, ["new", "old"]],
  ]);
  expect(listed[1]).toMatchObject({
    created_at: series.created_at,
    scenarios: ["s"],
    trials: 1,
    standing: { counted: 1 },
  });
  const older = await service.get(`/api/series?limit=1&before=${other.series_id}`);
  expect((await older.json()) as SeriesListing[]).toEqual(listed.slice(1));
  expect(await (await service.get(`${path}/report?format=markdown`)).text()).toContain("These results were imported");
  expect(await (await service.get("/api/sessions")).json()).toEqual([]);
  const rows = ["new", "old"].map((arm, index) => JSON.stringify({ scenario: "s", arm, score: index }));
  const lines = await send(service, rows.join("\n"), { type: "application/x-ndjson; charset=utf-8" });
  expect(((await lines.json()) as Series).counts).toMatchObject({ losses: 1 });
});

test("stored results are no series to go on with, to stop, or to take as a baseline", async () => {
  await using service = aService({ persistent: true });
  const { series_id } = (await (await send(service, TABLE, { query: "?arms=new,old" })).json()) as Series;
  expect(await errorOf(await service.fetch(`/api/series/${series_id}`, { method: "DELETE" }))).toMatchObject({
    ...{ status: 409, code: "series_not_running" },
  });
  const body = JSON.stringify({ scenarios: ["s"], continue: series_id });
  const headers = { "content-type": "application/json" };
  expect(await errorOf(await service.fetch("/api/series", { method: "POST", headers, body }))).toMatchObject({
    ...{ status: 422, code: "invalid_request" },
  });
  expect((await errorOf(await service.get(`/api/series/${series_id}?by=lang`))).message).toContain(
    'there is no column "lang" to group by',
  );
  expect((await errorOf(await service.get(`/api/series/results-${"0".repeat(64)}`))).code).toBe("unknown_series");
});

test("scenarios are grouped by a column of the table, in the series and whatever its id is made of", async () => {
  await using service = aService();
  const rows = (lang: string) =>
    `s,1,new,1,${lang}\ns,1,old,0,${lang}\nt,1,new,0,fr\nt,1,old,1,fr\nu,1,new,1,fr\nu,1,old,1,fr\n`;
  const table = (lang: string) => `scenario,trial,arm,score,lang\n${rows(lang)}`;
  const plain = (await (await send(service, table("de"))).json()) as Series;
  expect([plain.columns, plain.groups]).toEqual([
    [{ field: "lang", values: ["de", "fr"], of_row: [0, 1, 1] }],
    undefined,
  ]);
  const grouped = (await (await send(service, table("de"), { query: "?by=lang" })).json()) as Series;
  expect(grouped.series_id).toBe(plain.series_id);
  expect(grouped.groups).toMatchObject([
    { field: "lang", value: "de", counts: { rows: 1, trials: 1, wins: 1, ties: 0, losses: 0 }, win_rate: 1 },
    { field: "lang", value: "fr", counts: { rows: 2, trials: 2, wins: 0, ties: 1, losses: 1 }, win_rate: 0.25 },
  ]);
  const read = (await (await service.get(`/api/series/${plain.series_id}?by=lang`)).json()) as Series;
  expect(read.groups).toEqual(grouped.groups);
  expect(await errorOf(await send(service, table("de"), { query: "?by=lagn" }))).toMatchObject({
    ...{ status: 422, details: { line: 1 } },
    message: 'line 1: by: there is no column "lagn"; is "lang" meant?',
  });
  const torn = `${table("de")}s,2,new,1,fr\n`;
  expect(await errorOf(await send(service, torn, { query: "?by=lang" }))).toMatchObject({
    ...{ status: 422, details: { line: 8, column: 5 } },
    message: 'line 8, column 5: by: lang: s has "de" in line 2 and "fr" here; a scenario is in one group',
  });
  // Without being asked for, such a column groups nothing.
  expect(((await (await send(service, torn)).json()) as Series).columns).toBeUndefined();
});

test("three arms are a contest, which is listed, read, reported, drawn and paged", async () => {
  await using service = aService({ persistent: true });
  const sent = await send(service, TABLE);
  expect(sent.status).toBe(200);
  const contest = (await sent.json()) as Contest;
  expect(contest).toMatchObject({ kind: "contest", contest: { mode: "against", control: "old" } });
  const path = `/api/series/${contest.series_id}`;
  expect(await (await service.get(path)).json()).toEqual(contest);
  expect(await (await service.get("/api/series")).json()).toMatchObject([
    { contest: true, arms: ["new", "old", "third"] },
  ]);
  expect(await (await service.get(`${path}/report?format=markdown`)).text()).toContain("Against old");
  expect(await (await service.get(`${path}/card.svg`)).text()).toContain("Not known yet");
  const members = (await (await service.get(`${path}/members`)).json()) as ContestMembers;
  expect(members).toMatchObject({ total: 1, rows: [{ scenario: "s", trial: 1, round: 1 }], next_after: null });
  expect(members.rows[0]?.cells.map(({ arm_id, score }) => [arm_id, score])).toEqual([
    ["new", 0.9],
    ["old", 0.5],
    ["third", 0],
  ]);
});

test("rows of a contest show the round that came out as most of them did, and pages come in the table's order", async () => {
  await using service = aService({ persistent: true });
  const row = (scenario: string, trial: number, scores: readonly number[]) =>
    scores.map((score, arm) => `${scenario},${trial},arm${arm},${score}`);
  const lines = [
    ...[...row("same", 1, [1, 0, 0]), ...row("same", 2, [1, 1, 1]), ...row("same", 3, [0, 0, 0])],
    ...[...row("differs", 1, [1, 1, 1]), ...row("differs", 2, [0, 0, 1]), ...row("differs", 3, [1, 0, 0])],
    ...[...row("short", 1, [1, 0]), ...row("short", 2, [0, 0, 0])],
  ];
  const contest = (await (await send(service, `${HEAD}${lines.join("\n")}\n`)).json()) as Contest;
  const page = async (query: string) =>
    (await (await service.get(`/api/series/${contest.series_id}/members?${query}`)).json()) as ContestMembers;
  const { rows, trials, next_after } = await page("limit=2");
  expect(rows.map(({ scenario, round }) => [scenario, round])).toEqual([
    ["same", 2],
    ["differs", 2],
  ]);
  expect([trials.length, next_after]).toEqual([6, 2]);
  const last = await page("limit=2&after=2");
  expect(last.rows.map(({ scenario, round }) => [scenario, round])).toEqual([["short", 2]]);
  expect(last.next_after).toBeNull();
  const telling = await page("order=differs&limit=2");
  expect(telling.rows.map(({ scenario }) => scenario)).toEqual(["differs", "same"]);
  const html = await (await service.get(`/api/series/${contest.series_id}/report`)).text();
  expect([...html.matchAll(/<th scope="row">(\w+)<br>/g)].map(([, scenario]) => scenario)).toEqual([
    ...["differs", "same", "short"],
  ]);
});

test("rows of two arms come in the table's order, or those first in which the candidate is behind", async () => {
  await using service = aService({ persistent: true });
  const lines = ["same,1,old,1", "same,1,new,1", "lost,1,old,1", "lost,1,new,0"];
  const { series_id } = (await (await send(service, `${HEAD}${lines.join("\n")}\n`)).json()) as Series;
  const names = async (query: string) => {
    const page = (await (await service.get(`/api/series/${series_id}/members${query}`)).json()) as ContestMembers;
    return page.rows.map(({ scenario }) => scenario);
  };
  expect(await names("")).toEqual(["same", "lost"]);
  expect(await names("?order=differs")).toEqual(["lost", "same"]);
  expect((await service.get(`/api/series/${series_id}/members?order=none`)).status).toBe(422);
});

test("a wrong table is refused with its place, and arms to choose from are told", async () => {
  await using service = aService();
  const arms = Array.from({ length: 33 }, (_, arm) => `arm${arm}`);
  const many = await errorOf(await send(service, `${HEAD}${arms.map((arm) => `s,1,${arm},1`).join("\n")}\n`));
  expect(many).toMatchObject({ status: 422, code: "invalid_request", details: { line: 1, arms } });
  expect(many.message).toEndWith("; at most 32 are compared: --arms <a>,<b>,...");
  const wrong = await errorOf(await send(service, `${HEAD}s,1,new,2\n`));
  expect(wrong.details).toEqual({ line: 2, column: 4 });
  expect(wrong.message).toStartWith("line 2, column 4: score: must be a number from 0 to 1");
});

test("what is no table, or too large, is refused before it is read", async () => {
  await using service = aService();
  const status = async (sent: Promise<Response>) => {
    const { status, code } = await errorOf(await sent);
    return `${status} ${code}`;
  };
  expect(await status(send(service, "{}", { type: "application/json" }))).toBe("415 unsupported_media_type");
  expect(await status(send(service, TABLE, { type: "text/plain;csv" }))).toBe("415 unsupported_media_type");
  expect(await status(send(service, new Uint8Array([0xff, 0xfe])))).toBe("400 invalid_request");
  expect(await status(send(service, "x".repeat(RESULTS_BODY_BYTES + 1)))).toBe("413 body_too_large");
  expect(await status(send(service, TABLE, { query: "?arms=new,old&tie_margin=2" }))).toBe("422 invalid_request");
  expect(await status(send(service, TABLE, { query: "?arm=new" }))).toBe("422 invalid_request");
});

test("a long table holds nobody up: others have their turn while it is read and computed", async () => {
  const { seriesOfResults } = await import("../../src/doors/operation/results.ts");
  const rows = Array.from({ length: 500 }, (_, s) =>
    [1, 2, 3, 4].map((trial) => `s${s},${trial},new,${trial % 2}\ns${s},${trial},old,0`).join("\n"),
  );
  const turns = await turnsDuring(() => seriesOfResults(HEAD + rows.join("\n"), "csv", {}));
  expect(turns).toBeGreaterThan(9);
});
