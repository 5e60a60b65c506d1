import { afterAll, beforeAll, expect, test } from "bun:test";
import { jsonPost, readStream } from "../http/service.ts";
import { describeNeeding } from "../needs.ts";
import { Fleet } from "../postgres/fleet.ts";
import { POSTGRES, type PostgresServer, postgresServer } from "../postgres/server.ts";
import { until } from "../turns.ts";

/** Seconds for which it accepts work after it was told to stop. */
const LEAVES_S = 2;

interface Followed {
  readonly ids: readonly string[];
  readonly events: readonly unknown[];
}

/** A stream to its end, each event with its id. */
async function followed(answer: Promise<Response>): Promise<Followed> {
  const response = await answer;
  expect(response.status).toBe(200);
  const { text, events } = await readStream(response);
  return { ids: [...text.matchAll(/^id: (.*)$/gm)].map(([, id = ""]) => id), events };
}

describeNeeding(POSTGRES)("a server that is told to stop", () => {
  let postgres: PostgresServer;
  beforeAll(async () => {
    postgres = await postgresServer();
  });
  afterAll(() => postgres[Symbol.asyncDispose]());

  test("is not ready, accepts work for a while, and lets readers go, who miss nothing at another server", async () => {
    await using fleet = new Fleet((await postgres.create()).url);
    const [one, other] = await Promise.all([fleet.server(0, undefined, LEAVES_S), fleet.server(), fleet.worker(1)]);
    const start = async (scenario: string) => {
      const answer = await fetch(`${one.url}/api/runs/async`, jsonPost({ scenario }));
      return { status: answer.status, ...((await answer.json()) as { session_id: string }) };
    };
    const { session_id } = await start("endless");
    const path = `/api/runs/${session_id}/stream?ids=1`;
    const cut = followed(fetch(one.url + path));
    const whole = followed(fetch(other.url + path));
    await fleet.until("(SELECT WHERE NOT EXISTS (SELECT FROM abeval.entries OFFSET 8)) AS few");

    const stopped = one.stop("SIGTERM");
    const ready = async () => (await fetch(`${one.url}/api/ready`)).status;
    await until(async () => (await ready()) === 503);
    expect(await start("brief")).toMatchObject({ status: 200 });
    expect((await fetch(`${one.url}/api/health`)).status).toBe(200);
    const before = await cut;
    expect(await stopped).toEqual({ status: 0 });

    const last = before.ids.at(-1) ?? "";
    const again = await fetch(other.url + path, { headers: { "last-event-id": last } });
    const rest = followed(Promise.resolve(again));
    await fetch(`${other.url}/api/runs/${session_id}`, { method: "DELETE" });
    const [after, { ids, events }] = await Promise.all([rest, whole]);
    expect(before.ids.length).toBeLessThan(ids.length);
    expect([...before.ids, ...after.ids]).toEqual([...ids]);
    expect([...before.events, ...after.events]).toEqual([...events]);
    await fleet.untilAllEnded();
    expect(await fleet.ask("SELECT state FROM abeval.sessions ORDER BY state")).toEqual([
      { state: "cancelled" },
      { state: "completed" },
    ]);
  });
});
