import { expect, test } from "bun:test";
import { aService } from "./service.ts";

test("a request in a crowd is answered before those that come later, however many keep coming", async () => {
  await using service = aService();
  const answered: string[] = [];
  const ask = async (who: string) => {
    await service.fetch("/api/health");
    answered.push(who);
  };
  const crowd = Array.from({ length: 100 }, (_, at) => ask(`${at}`));
  const later: Promise<void>[] = [];
  for (let turn = 0; turn < 10; turn += 1) {
    later.push(...Array.from({ length: 20 }, () => ask("later")));
    await new Promise(setImmediate);
  }
  await Promise.all([...crowd, ...later]);
  expect(answered.indexOf("later")).toBeGreaterThanOrEqual(100);
});
