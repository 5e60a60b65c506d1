import { expect, test } from "bun:test";
import { type PendingCall, PendingCalls } from "../../src/arms/agent/log/pending-calls.ts";
import type { WireResult } from "../../src/arms/wire/wire.ts";

const call = (id: string | null, name: string, command: string, thread = 1): PendingCall => ({
  call: { id, name },
  told: { name: "run_command", about: command, input: "" },
  ...{ effect: "command", checked: true, skill: undefined },
  made: { tool: "run_command", effect: "command", subject: command, refused_by: null },
  thread,
  asked_ticks: 0,
});

const result = (call_id: string | null, name: string | null, nth = 0): WireResult => ({
  ...{ call_id, name, nth, text: "", is_error: null },
});

const subject = (pending: PendingCall | undefined) => pending?.made.subject;

test("a result is matched by the id of its call, once", () => {
  const calls = new PendingCalls();
  calls.add(call("a", "shell", "ls"));
  calls.add(call("b", "shell", "pwd"));
  expect(subject(calls.take(result("b", "shell"), 1))).toBe("pwd");
  expect(calls.take(result("b", "shell"), 1)).toBeUndefined();
  expect(calls.rest().map(subject)).toEqual(["ls"]);
  expect(calls.rest()).toEqual([]);
});

test("without ids the name and its count in the thread say which", () => {
  const calls = new PendingCalls();
  for (const command of ["one", "two"]) calls.add(call(null, "shell", command));
  calls.add(call(null, "shell", "other", 2));
  // An agent makes up ids of its own where the provider gives none.
  expect(subject(calls.take(result("made-up", "shell", 1), 1))).toBe("two");
  expect(subject(calls.take(result(null, "shell", 0), 1))).toBe("one");
  expect(calls.take(result(null, "shell", 2), 1)).toBeUndefined();
  expect(subject(calls.take(result(null, "shell", 0), 2))).toBe("other");
});
