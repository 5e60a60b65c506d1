import { expect, test } from "bun:test";
import { gate } from "../../src/policy/gate.ts";
import { policies } from "./policies.ts";

test("a denied command is refused with its rule, and the model is told that nothing was run", () => {
  expect(gate(policies(), "run_command", { command: "git push origin" })).toEqual({
    rule: "git push*",
    message: "Refused by policy, nothing was run: commands like `git push*` are not allowed.",
  });
});

test("a command off the closed list is refused with the list", () => {
  const closed = policies({ commands: { deny: [], allow: ["ls *", "bun test*"], timeout_s: 60, max_output_kb: 64 } });
  expect(gate(closed, "run_command", { command: "rm a" })).toEqual({
    rule: "commands.allow",
    message: "Refused by policy, nothing was run: only these commands are allowed: `ls *`, `bun test*`.",
  });
});

test("a protected file is refused by its glob, for both tools that change files", () => {
  const refusal = {
    rule: "src/**/*.test.ts",
    message: "Refused by policy, nothing was written: src/a.test.ts is protected (`src/**/*.test.ts`).",
  };
  expect(gate(policies(), "write_file", { path: "src/a.test.ts", content: "" })).toEqual(refusal);
  expect(gate(policies(), "edit_file", { path: "src/a.test.ts", old: "a", new: "b" })).toEqual(refusal);
});

test("a file outside the writable globs is refused with what may be changed", () => {
  expect(gate(policies(), "write_file", { path: "package.json", content: "" })).toEqual({
    rule: "paths.writable",
    message: "Refused by policy, nothing was written: package.json is outside what may be changed: `src/**`, `*.md`.",
  });
});

test("what no rule names passes, and reading always does", () => {
  const calls = [
    gate(policies(), "run_command", { command: "bun test" }),
    gate(policies(), "write_file", { path: "src/a.ts", content: "" }),
    gate(policies(), "read_file", { path: "src/a.test.ts" }),
    gate(policies(), "search_files", { pattern: "git push" }),
  ];
  expect(calls).toEqual([null, null, null, null]);
});
