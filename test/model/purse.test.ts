import { expect, test } from "bun:test";
import { type Lease, Purse } from "../../src/arms/model/purse.ts";

const never = { signal: new AbortController().signal };

test("a call that does not fit beside those under way waits for them, and nobody overtakes it", async () => {
  const purse = new Purse(10);
  const entered: string[] = [];
  const take = async (name: string, usd: number): Promise<Lease> => {
    const lease = await purse.take(usd, never);
    entered.push(name);
    return lease;
  };
  const first = await take("first", 6);
  const large = take("large", 5);
  const small = take("small", 1);
  await Promise.resolve();
  expect(entered).toEqual(["first"]);
  first.settle(2);
  await Promise.all([large, small]);
  expect(entered).toEqual(["first", "large", "small"]);
  expect(purse.spent_usd).toBe(2);
});

test("a call that does not fit alone is refused at once, whoever is under way, and calls behind it go on", async () => {
  const purse = new Purse(10, 4);
  const first = await purse.take(5, never);
  expect(purse.take(7, never)).rejects.toMatchObject({
    code: "cost_limit_reached",
    message:
      "the cost limit of $10.0000 does not pay for the next call: $4.0000 are spent, and it may cost up to $7.0000; raise the limit (--max-cost), or lower max_output_tokens",
  });
  const waiting = purse.take(3, never);
  first.settle(null);
  // Of unknown cost: all of it counts.
  expect(purse.spent_usd).toBe(9);
  expect(waiting).rejects.toMatchObject({ code: "cost_limit_reached" });
  first.settle(0);
  expect(purse.spent_usd).toBe(9);
  expect(await purse.take(0, never)).toBeDefined();
});

test("who waits stands still meanwhile, and leaves the line when its signal fires", async () => {
  const purse = new Purse(1);
  const first = await purse.take(1, never);
  const gone = new AbortController();
  const told: boolean[] = [];
  const waiting = purse.take(1, { signal: gone.signal, asker: { outside: (is) => void told.push(is) } });
  const behind = purse.take(0.5, never);
  gone.abort(new Error("gone"));
  expect(waiting).rejects.toThrow("gone");
  first.settle(0.5);
  expect(await behind).toBeDefined();
  expect(told).toEqual([true, false]);
});

test("the time of who waits for a call of its own runs on, and stands still only while none is under way", async () => {
  const purse = new Purse(1);
  const told: boolean[] = [];
  const asker = { outside: (is: boolean) => void told.push(is) };
  const own = await purse.take(0.6, { ...never, asker });
  const others = await purse.take(0.4, never);
  const waiting = purse.take(0.5, { ...never, asker });
  const free = await purse.take(0, { ...never, asker });
  await Promise.resolve();
  expect(told).toEqual([]);
  own.settle(0.2);
  expect(told).toEqual([]);
  free.settle(0);
  expect(told).toEqual([true]);
  others.settle(0);
  await waiting;
  expect(told).toEqual([true, false]);
});
