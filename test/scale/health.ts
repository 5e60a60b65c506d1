import { expect, test } from "bun:test";
import type { Health } from "../../src/domain/health.ts";
import type { Served } from "../http/served.ts";
import { describeNeeding } from "../needs.ts";
import { Fleet, LEASE_S } from "../postgres/fleet.ts";
import { POSTGRES, type PostgresServer, postgresServer } from "../postgres/server.ts";
import { until } from "../turns.ts";

/** Less than the lease, for which the database is waited for where somebody does: a busy machine gets all the rest. */
const ask = (path: string, { url }: Served) =>
  fetch(url + path, { signal: AbortSignal.timeout(1_000 * LEASE_S - 1_000) });

async function health(served: Served): Promise<Health["database"]> {
  const answer = await ask("/api/health", served);
  expect(answer.status).toBe(200);
  return ((await answer.json()) as Health).database;
}

const untilHealth = (served: Served, wanted: Health["database"]) =>
  until(async () => (await health(served)) === wanted);

async function ready(served: Served): Promise<readonly [status: number, code: string | undefined]> {
  const answer = await ask("/api/ready", served);
  const { error } = (await answer.json()) as { readonly error?: { readonly code: string } };
  return [answer.status, error?.code];
}

type Step = (server: PostgresServer) => unknown;

const LOSSES: readonly (readonly [how: string, lose: Step, bring: Step])[] = [
  ["frozen", (server) => server.freeze(), (server) => server.thaw()],
  ["stopped", (server) => server.stop("immediate"), (server) => server.start()],
];

describeNeeding(POSTGRES)("the health of a server on a database", () => {
  test.each(LOSSES)(
    "says that it is %s, and that it is back; whoever asks waits for neither",
    async (_how, lose, bring) => {
      await using postgres = await postgresServer();
      const { url } = await postgres.create();
      await using fleet = new Fleet(url);
      const server = await fleet.server();
      expect([await health(server), await ready(server)]).toEqual(["reachable", [200, undefined]]);
      await lose(postgres);
      await untilHealth(server, "unreachable");
      expect(await ready(server)).toEqual([503, "not_ready"]);
      // Files are there all the same.
      expect((await ask("/api/scenarios", server)).status).toBe(200);
      await bring(postgres);
      await untilHealth(server, "reachable");
      expect(await ready(server)).toEqual([200, undefined]);
    },
  );
});
