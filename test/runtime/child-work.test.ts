import { expect, test } from "bun:test";
import { join } from "node:path";
import { inChild } from "../../src/runtime/child-work.ts";
import { turnsDuring } from "../turns.ts";

const program = [process.execPath, join(import.meta.dir, "works.ts")];
const LIMITS = { memory_mb: 256, cpu_ms: 60_000, wait_ms: 60_000 };

const doing = (work: string, input: unknown = null, limits = LIMITS, signal = new AbortController().signal) =>
  inChild(work, input, { signal, limits, program });

test("work is done in a process of its own, and gives back what it makes", async () => {
  expect(await doing("double", 21)).toEqual({ value: 42 });
});

test("a child has no key in its environment", async () => {
  expect(JSON.stringify(await doing("environment"))).not.toMatch(/KEY|TOKEN|PATH/);
});

test("a child gives way to the process that waits for it", async () => {
  const said = (await doing("priority")) as { readonly value: number };
  expect(said.value).toBeGreaterThanOrEqual(10);
});

test("what is over its steps is over on every machine", async () => {
  expect(await doing("refuse")).toEqual({ over: "takes more than 5 steps" });
});

test("memory without end is over", async () => {
  const over = { over: "takes more than 128 MB of memory" };
  expect(await doing("hoard", null, { ...LIMITS, memory_mb: 128 })).toEqual(over);
});

test("a program that cannot be started, or ends before it has begun, is late", async () => {
  const signal = new AbortController().signal;
  expect(await doing("abort")).toEqual({ late: "was ended by SIGABRT on this machine" });
  expect(await inChild("double", 1, { signal, program: ["/gone/abeval"] })).toEqual({
    late: "could not be started on this machine (status 127)",
  });
});

test("work is late where no file can be opened any more", async () => {
  const starved = ["sh", "-c", 'ulimit -n 40; exec "$@"', "sh", process.execPath, join(import.meta.dir, "starved.ts")];
  expect(await new Response(Bun.spawn(starved).stdout).json()).toEqual({
    late: expect.stringContaining("could not be started on this machine (Error: EMFILE"),
  });
});

test("work without end is late, and others have their turn meanwhile", async () => {
  const turns = await turnsDuring(async () => {
    const late = { late: "took more than 0.2 s of a processor on this machine" };
    expect(await doing("spin", null, { ...LIMITS, cpu_ms: 200 })).toEqual(late);
  });
  expect(turns).toBeGreaterThan(1);
});

test("work that waits without end is late by the clock", async () => {
  const short = { ...LIMITS, cpu_ms: 200, wait_ms: 300 };
  expect(await doing("wait", null, short)).toEqual({ late: "took more than 0.3 s on this machine" });
});

test("a child that somebody else ends is late: the machine may have no memory left", async () => {
  expect(await doing("be-killed")).toEqual({ late: "was ended by SIGKILL on this machine" });
});

test("work that calls itself too deep is over", async () => {
  expect(await doing("descend")).toMatchObject({ over: expect.stringContaining("depth") });
});

test("a fault of ours is thrown", async () => {
  await expect(doing("throw")).rejects.toThrow("no such table");
  await expect(doing("unknown")).rejects.toThrow("there is no work called unknown");
});

test("a child ends as soon as nobody wants its work", async () => {
  const control = new AbortController();
  const done = doing("spin", null, LIMITS, control.signal);
  control.abort(new Error("cancelled"));
  await expect(done).rejects.toThrow("cancelled");
});

test("abeval itself is the program, from its sources and compiled", async () => {
  const signal = new AbortController().signal;
  const sought = { source: "^b+$", text: "aaa\nbbb" };
  expect(await inChild("find-pattern", sought, { signal })).toEqual({ value: true });
});
