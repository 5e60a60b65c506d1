import { expect, test } from "bun:test";
import { RECIPES } from "../../../src/arms/recipe/recipes.ts";

const unwrap = (name: string, tool: string, output: string) =>
  RECIPES.find((recipe) => recipe.name === name)?.unwrap(tool, output);

const MANY = `[${'{"result":"one"},'.repeat(6_000)}{"result":"two"}]`;

test("what an agent wraps around an output goes, and the exit code is read from it", () => {
  const cases = [
    ["claude-code", "Bash", "Exit code 2\n1 test failed", "1 test failed", 2],
    ["claude-code", "Bash", "ok\n<system-reminder>\nBe kind.\n</system-reminder>\n", "ok", null],
    ["claude-code", "Edit", "<tool_use_error>not found</tool_use_error>", "not found", null],
    [
      ...(["codex", "exec_command"] as const),
      "Chunk ID: 1a2b3c\nWall time: 0.0512 seconds\nProcess exited with code 1\nOriginal token count: 4\nOutput:\nfailed\n",
      ...(["failed\n", 1] as const),
    ],
    ["codex", "shell", "Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess.", "Success.", 0],
    ["codex", "exec_command", "Output of a program\nExit code: 3", "Output of a program\nExit code: 3", null],
    ["opencode", "bash", "ok\n\n<bash_metadata>\nuser stopped it\n</bash_metadata>", "ok", null],
    [
      ...(["gemini-cli", "run_shell_command"] as const),
      "<untrusted_context>\nOutput: 1 test failed\nExit Code: 1\nProcess Group PGID: 77\n</untrusted_context>",
      ...(["1 test failed", 1] as const),
    ],
    [
      ...(["qwen-code", "run_shell_command"] as const),
      "Command: true\nDirectory: (root)\nOutput: (empty)\nError: (none)\nExit Code: 0\nSignal: (none)\nProcess Group PGID: 7",
      ...(["", 0] as const),
    ],
    ["copilot", "bash", "failed\n<exited with exit code 1>", "failed", 1],
    ["copilot", "bash", "a\nb\n<shellId: 0 completed with exit code 0>\n", "a\nb", 0],
    ["copilot", "bash", "exit code 9", "exit code 9", null],
    [
      ...(["cline", "run_commands"] as const),
      '[{"query":"npm test","result":"[Command exited with code 1]\\nfailed\\n","error":"…","success":false}]',
      ...(["failed\n", 1] as const),
    ],
    ["cline", "read_files", '[{"result":"one"},{"result":"two"}]', "one\ntwo", null],
    ["cline", "read_files", "{}", "{}", null],
    // An output of more values than a tool gives is not read as one.
    ["cline", "read_files", MANY, MANY, null],
    ["pi", "bash", "1 test failed\n\nCommand exited with code 1", "1 test failed", 1],
    ["pi", "read", "Command exited with code 1", "Command exited with code 1", null],
  ] as const;
  for (const [name, tool, output, unwrapped, exit_code] of cases)
    expect([name, unwrap(name, tool, output)]).toEqual([name, { output: unwrapped, exit_code }]);
});

test("an endless output is unwrapped in linear time", () => {
  const hostile = ["<system-reminder>", "Exit code 1", "Chunk ID: x\n", "Output:", "<shellId: 1", "\n\n"];
  for (const recipe of RECIPES)
    for (const piece of hostile)
      expect(recipe.unwrap("Bash", piece.repeat(1_000_000 / piece.length)).output.length).toBeLessThan(1_100_000);
});
