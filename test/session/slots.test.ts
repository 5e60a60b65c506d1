import { expect, test } from "bun:test";
import { Failure } from "../../src/domain/failure.ts";
import { Slots } from "../../src/session/slots.ts";

const never = new AbortController().signal;

test("takes are served in order of arrival and no more than the size at once", async () => {
  const slots = new Slots(1, 10);
  const order: string[] = [];
  const work = async (name: string) => {
    using _slot = await slots.take(never);
    order.push(`${name} in`);
    await Promise.resolve();
    order.push(`${name} out`);
  };
  await Promise.all([work("a"), work("b"), work("c")]);
  expect(order).toEqual(["a in", "a out", "b in", "b out", "c in", "c out"]);
});

test("a full line refuses the next as overloaded and retryable", async () => {
  const slots = new Slots(1, 1);
  const taken = await slots.take(never);
  slots.admit();
  const waiting = slots.take(never);
  expect(() => slots.admit()).toThrow(expect.objectContaining({ code: "overloaded", retryable: true }));
  taken[Symbol.dispose]();
  (await waiting)[Symbol.dispose]();
});

test("one who gives up leaves the line", async () => {
  const slots = new Slots(1, 10);
  const first = await slots.take(never);
  const cancel = new AbortController();
  const given = slots.take(cancel.signal);
  const next = slots.take(never);
  cancel.abort(new Failure("cancelled", "stopped"));
  expect(given).rejects.toThrow("stopped");
  first[Symbol.dispose]();
  (await next)[Symbol.dispose]();
});
