import { expect, test } from "bun:test";
import { refusalOf } from "../../src/arms/policy/refusal.ts";
import { policies } from "./policies.ts";

test("a denied command is refused with its rule, and the model is told that nothing was run", () => {
  expect(refusalOf(policies(), "command", "git push origin")).toEqual({
    rule: "git push*",
    message: "Refused by policy, nothing was run: commands like `git push*` are not allowed.",
  });
});

test("a command off the closed list is refused with the list", () => {
  const closed = policies({ commands: { deny: [], allow: ["ls *", "bun test*"], timeout_s: 60, max_output_kb: 64 } });
  expect(refusalOf(closed, "command", "rm a")).toEqual({
    rule: "commands.allow",
    message: "Refused by policy, nothing was run: only these commands are allowed: `ls *`, `bun test*`.",
  });
});

test("a closed list refuses what cannot be read, and says why and what to do", () => {
  const closed = policies({ commands: { deny: [], allow: ["ls *"], timeout_s: 60, max_output_kb: 64 } });
  expect(refusalOf(closed, "command", "ls; $X a")).toEqual({
    rule: "commands.allow",
    message:
      "Refused by policy, nothing was run: the command could not be read (which command $X stands for is known only when it runs). Write it as short, plain commands; only these commands are allowed: `ls *`.",
  });
});

test("a protected file is refused by its glob", () => {
  const refusal = {
    rule: "src/**/*.test.ts",
    message: "Refused by policy, nothing was written: src/a.test.ts is protected (`src/**/*.test.ts`).",
  };
  expect(refusalOf(policies(), "write", "src/a.test.ts")).toEqual(refusal);
});

test("a file outside the writable globs is refused with what may be changed", () => {
  expect(refusalOf(policies(), "write", "package.json")).toEqual({
    rule: "paths.writable",
    message: "Refused by policy, nothing was written: package.json is outside what may be changed: `src/**`, `*.md`.",
  });
});

test("a call that no rule names is allowed, and reading always is", () => {
  const calls = [
    refusalOf(policies(), "command", "bun test"),
    refusalOf(policies(), "write", "src/a.ts"),
    refusalOf(policies(), "read", "src/a.test.ts"),
  ];
  expect(calls).toEqual([null, null, null]);
});
