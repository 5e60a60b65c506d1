import { expect, test } from "bun:test";
import { aService } from "./service.ts";

test("a request in a crowd is soon answered, however many keep coming, and so is one that comes next", async () => {
  await using service = aService();
  const answered: string[] = [];
  const ask = async (who: string) => {
    await service.fetch("/api/providers");
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

test("whoever asks whether the server goes on does not wait for a crowd that asks for something else", async () => {
  await using service = aService();
  const answered: string[] = [];
  const ask = async (path: string) => {
    await service.fetch(path);
    answered.push(path);
  };
  const crowd = Array.from({ length: 600 }, () => ask("/api/providers?health=/api/health"));
  const probes = ["/api/health", "/api/ready", "/api/ready?verbose"].map(ask);
  await Promise.all([...crowd, ...probes]);
  expect(answered.findLastIndex((path) => path.startsWith("/api/ready"))).toBeLessThan(60);
  expect(answered.lastIndexOf("/api/health")).toBeLessThan(60);
});
