import { expect, test } from "bun:test";
import { startRun } from "../../src/doors/operation/runs.ts";
import { aService } from "../http/service.ts";
import { countTurns } from "../turns.ts";

test("runs that are asked for at once begin in turns of their own: others are answered in between", async () => {
  await using service = await aService();
  const { resolveModel, catalog } = service.services;
  using turns = countTurns();
  const [readIn, preparedIn] = [new Set<number>(), new Set<number>()];
  const services: typeof service.services = {
    ...service.services,
    catalog: {
      ...catalog,
      get: async (name) => {
        readIn.add(turns.count);
        return await catalog.get(name);
      },
    },
    resolveModel: (...asked) => {
      preparedIn.add(turns.count);
      return resolveModel(...asked);
    },
  };
  await Promise.all(Array.from({ length: 20 }, () => startRun(services, { scenario: "quick" })));
  expect(readIn.size).toBe(20);
  expect(preparedIn.size).toBe(20);
});
