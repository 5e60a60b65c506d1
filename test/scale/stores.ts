import { afterAll } from "bun:test";
import { systemClock, systemEntropy } from "../../src/runtime/clock.ts";
import { postgresStore } from "../../src/store/postgres/postgres-store.ts";
import { testNeeding } from "../needs.ts";
import { POSTGRES, type PostgresServer, postgresServer } from "../postgres/server.ts";
import { STORES } from "../store/stores.ts";

// What every store promises: the suites of `test/store`, with PostgreSQL.
let server: Promise<PostgresServer> | undefined;

const open = async () => {
  server ??= postgresServer();
  const { url } = await (await server).create();
  const store = await postgresStore(url, { clock: systemClock, entropy: systemEntropy, version: "0", lease_s: 10 });
  return { store, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
};

afterAll(async () => await (await server)?.[Symbol.asyncDispose]());

if (POSTGRES.met) {
  STORES.splice(0, STORES.length, ["PostgreSQL", open]);
  for (const suite of ["store", "series", "session-list", "self-tests", "work"])
    await import(`../store/${suite}.test.ts`);
  await import("../session/vote.test.ts");
} else testNeeding(POSTGRES)("PostgreSQL keeps the promises of every store", () => undefined);
