import { expect, test } from "bun:test";
import { CallLimiter } from "../../src/model/call-limiter.ts";

const never = new AbortController().signal;

function call() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { promise, resolve };
}

test("only so many calls run at once, the others in the order they came", async () => {
  const limiter = new CallLimiter(2);
  const calls = [call(), call(), call(), call()];
  const started: number[] = [];
  const running = calls.map(({ promise }, index) =>
    limiter.run(never, () => {
      started.push(index);
      return promise;
    }),
  );
  await Promise.resolve();
  expect(started).toEqual([0, 1]);
  calls[1]?.resolve();
  await running[1];
  expect(started).toEqual([0, 1, 2]);
  for (const { resolve } of calls) resolve();
  await Promise.all(running);
  expect(started).toEqual([0, 1, 2, 3]);
});

test("a failed call gives its place back", async () => {
  const limiter = new CallLimiter(1);
  const failed = limiter.run(never, () => Promise.reject(new Error("no")));
  const next = limiter.run(never, () => Promise.resolve("ran"));
  expect(await failed.catch((error: unknown) => error)).toEqual(new Error("no"));
  expect(await next).toBe("ran");
});

test("a cancelled call stops waiting with the reason, never runs and loses no place", async () => {
  const limiter = new CallLimiter(1);
  const first = call();
  const controller = new AbortController();
  const ran: string[] = [];
  const running = limiter.run(never, () => first.promise);
  const cancelled = limiter.run(controller.signal, async () => ran.push("cancelled"));
  const last = limiter.run(never, async () => ran.push("last"));
  controller.abort(new Error("stop"));
  expect(await cancelled.catch((error: unknown) => error)).toEqual(new Error("stop"));
  first.resolve();
  await Promise.all([running, last]);
  expect(ran).toEqual(["last"]);
});
