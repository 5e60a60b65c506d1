import { expect, test } from "bun:test";
import { aService } from "./service.ts";

test("a request in a crowd is soon answered, however many keep coming, and so is one that comes next", async () => {
  await using service = aService();
  const answered: string[] = [];
  const ask = async (who: string) => {
    await service.fetch("/api/health");
    answered.push(who);
  };
  const crowd = Array.from({ length: 100 }, () => ask("crowd"));
  for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
  const next = ask("next");
  const later: Promise<void>[] = [];
  for (let turn = 0; turn < 30; turn += 1) {
    later.push(...Array.from({ length: 20 }, () => ask("later")));
    await new Promise(setImmediate);
  }
  await Promise.all([...crowd, next, ...later]);
  expect(answered.indexOf("next")).toBeLessThan(60);
  expect(answered.lastIndexOf("crowd")).toBeLessThan(400);
});
