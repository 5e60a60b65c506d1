import type { FakeReply, ReplyCall, Wire } from "../fake-provider/exchange.ts";

/** A real agent with what a model says to it: read the file, mend it, run two commands at once, answer. */
export interface Cli {
  readonly use: string;
  /** Name of its install. */
  readonly install: string;
  readonly package: string;
  readonly wire: Wire;
  readonly model: string;
  readonly turns: readonly FakeReply[];
  /** Calls without tools that it makes besides its work. */
  readonly side_calls: number;
  /** Its commands report how they exited in a form that its recipe reads. */
  readonly tells_exit_code: boolean;
}

export const PROMPT = "In calc.js, add must add.";
export const BROKEN = "exports.add = (a, b) => a - b;\n";
export const FIXED = "exports.add = (a, b) => a + b;\n";
export const FAILING_COMMAND = "node -p 'require(\"./calc.js\").add(1, 2)'; exit 3";

const FILE = "/workspace/calc.js";
const PATCH = `*** Begin Patch\n*** Update File: calc.js\n@@\n-${BROKEN.trim()}\n+${FIXED.trim()}\n*** End Patch`;

type Call = readonly [name: string, input: unknown];

/** Usage is large and odd, so that no two sums are equal by chance. */
function turns(
  read: Call,
  edit: Call,
  run: (command: string) => Call,
  commands: Change["commands"] = CALC.commands,
): FakeReply[] {
  const calls = [[read], [edit], commands.map(run), []];
  const texts = ["I read it.", "", "I run it.", "Add adds now."];
  return calls.map((made, turn) => ({
    ...(turn === 0 ? { thinking: "First I look." } : {}),
    text: texts[turn] ?? "",
    calls: made.map(([name, input], i): ReplyCall => ({ id: `call_${turn}_${i}`, name, input })),
    usage: { in: 10_007 + turn * 101, out: 53 + turn, cached: 211 * turn, written: 97, thinking: turn === 0 ? 7 : 0 },
  }));
}

/** A line of a file that another one takes the place of, and two commands to see what came of it. */
export interface Change {
  readonly path: string;
  readonly old: string;
  readonly text: string;
  readonly commands: readonly [string, string];
}

const CALC: Change = { path: "calc.js", old: BROKEN.trim(), text: FIXED.trim(), commands: [FAILING_COMMAND, "ls"] };

export const claudeTurns = ({ path, old, text, commands }: Change): FakeReply[] =>
  turns(
    ["Read", { file_path: `/workspace/${path}` }],
    ["Edit", { file_path: `/workspace/${path}`, old_string: old, new_string: text }],
    (command) => ["Bash", { command, description: "Run it" }],
    commands,
  );

export const codexTurns = ({ path, old, text, commands }: Change): FakeReply[] =>
  turns(
    ["exec_command", { cmd: `cat ${path}` }],
    ["apply_patch", `*** Begin Patch\n*** Update File: ${path}\n@@\n-${old}\n+${text}\n*** End Patch`],
    (cmd) => ["exec_command", { cmd }],
    commands,
  );

const claudeCode = (version: string): Cli => ({
  use: "claude-code",
  install: `claude-code-${version}`,
  package: `@anthropic-ai/claude-code@${version}`,
  wire: "anthropic",
  model: "anthropic/claude-x",
  turns: claudeTurns(CALC),
  side_calls: 0,
  tells_exit_code: true,
});

/** It offers its patch tool only to models that it knows. */
const codex = (version: string): Cli => ({
  use: "codex",
  install: `codex-${version}`,
  package: `@openai/codex@${version}`,
  wire: "responses",
  model: "openai/gpt-5.5",
  turns: codexTurns(CALC),
  side_calls: 0,
  tells_exit_code: true,
});

const pi = (wire: "anthropic" | "responses", model: string): Cli => ({
  use: "pi",
  install: "pi-0.74.2",
  package: "@earendil-works/pi-coding-agent@0.74.2",
  wire,
  model,
  turns: turns(
    ["read", { path: "calc.js" }],
    ["edit", { path: "calc.js", edits: [{ oldText: "a - b", newText: "a + b" }] }],
    (command) => ["bash", { command }],
  ),
  side_calls: 0,
  tells_exit_code: true,
});

const opencode = (version: string): Cli => ({
  use: "opencode",
  install: `opencode-${version}`,
  package: `opencode-ai@${version}`,
  wire: "anthropic",
  model: "anthropic/claude-y",
  turns: turns(
    ["read", { filePath: FILE }],
    ["edit", { filePath: FILE, oldString: "a - b", newString: "a + b" }],
    (command) => ["bash", { command, description: "Run it" }],
  ),
  side_calls: 1,
  tells_exit_code: false,
});

export const CLAUDE_CODES: readonly [Cli, Cli] = [claudeCode("2.1.197"), claudeCode("2.1.330")];
export const CODEXES: readonly [Cli, Cli] = [codex("0.159.3"), codex("0.169.0")];
export const PI = pi("anthropic", "anthropic/claude-x");
export const OPENCODES: readonly [Cli, Cli] = [opencode("1.17.11"), opencode("1.18.33")];
export const OPENCODE = OPENCODES[1];

const GEMINI_CLI: Cli = {
  use: "gemini-cli",
  install: "gemini-cli-0.61.0",
  package: "@google/gemini-cli@0.61.0",
  wire: "gemini",
  model: "google/gemini-x",
  turns: turns(
    ["read_file", { file_path: "calc.js" }],
    ["replace", { file_path: FILE, instruction: "Add.", old_string: "a - b", new_string: "a + b" }],
    (command) => ["run_shell_command", { command, description: "Run it" }],
  ),
  side_calls: 0,
  tells_exit_code: true,
};

export const QWEN_CODE: Cli = {
  use: "qwen-code",
  install: "qwen-code-0.15.10",
  package: "@qwen-code/qwen-code@0.15.10",
  wire: "chat",
  model: "openai/qwen-x",
  turns: turns(
    ["read_file", { file_path: FILE }],
    ["edit", { file_path: FILE, old_string: "a - b", new_string: "a + b" }],
    (command) => ["run_shell_command", { command, is_background: false, description: "Run it" }],
  ),
  side_calls: 0,
  tells_exit_code: true,
};

const CONTINUE: Cli = {
  use: "continue",
  install: "continue-1.5.47",
  package: "@continuedev/cli@1.5.47",
  wire: "anthropic",
  model: "anthropic/claude-x",
  turns: turns(
    ["Read", { filepath: "calc.js" }],
    ["MultiEdit", { file_path: FILE, edits: [{ old_string: "a - b", new_string: "a + b" }] }],
    (command) => ["Bash", { command }],
  ),
  side_calls: 0,
  tells_exit_code: false,
};

const COPILOT: Cli = {
  use: "copilot",
  install: "copilot-1.0.102",
  package: "@github/copilot@1.0.102",
  wire: "chat",
  model: "openai/gpt-x",
  turns: turns(["view", { path: FILE }], ["apply_patch", PATCH], (command) => [
    "bash",
    { command, description: "Run it", mode: "sync" },
  ]),
  side_calls: 0,
  tells_exit_code: true,
};

const CLINE: Cli = {
  use: "cline",
  install: "cline-3.0.65",
  package: "cline@3.0.65",
  wire: "chat",
  model: "openai/claude-x",
  turns: turns(
    ["read_files", { files: [{ path: FILE }] }],
    ["editor", { path: FILE, old_text: "a - b", new_text: "a + b" }],
    (command) => ["run_commands", { commands: [command] }],
  ),
  side_calls: 0,
  tells_exit_code: false,
};

/** Two that run in one session. Their provider knows them apart by wire and model, or plays both the same. */
export const PAIRS: readonly (readonly [Cli, Cli])[] = [
  CLAUDE_CODES,
  CODEXES,
  [PI, OPENCODE],
  [pi("responses", "openai/gpt-x"), GEMINI_CLI],
  [QWEN_CODE, CONTINUE],
  [COPILOT, CLINE],
];
