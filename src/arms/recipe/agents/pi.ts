import { type ArgumentRules, BY_MODEL, BY_PROXY, ownArguments } from "../arguments.ts";
import { expandHome, givenTask, PROVIDER_PATHS, providerVariables } from "../inside.ts";
import type { Recipe } from "../recipe.ts";
import { exitCodeAt } from "../unwrap-output.ts";

const ARGUMENTS: ArgumentRules = {
  own: [
    { argv: ["--mode", "json"] },
    { argv: ["--no-session"], rivals: ["--session", "--session-dir", "--continue", "-c", "--resume", "-r", "--fork"] },
  ],
  refused: { "--model": BY_MODEL, "--models": BY_MODEL, "--provider": BY_PROXY, "--api-key": BY_PROXY },
};

export const pi: Recipe = {
  name: "pi",
  title: "pi",
  identities: ["pi"],
  wires: ["anthropic", "responses"],
  packages: ["@earendil-works/pi-coding-agent", "@mariozechner/pi-coding-agent"],
  programs: ["pi"],
  tested: ["0.74.2"],
  min_node: 20,
  tools: {
    bash: "run_command",
    read: "read_file",
    edit: "edit_file",
    write: "write_file",
    ls: "list_files",
    find: "list_files",
    grep: "search_files",
  },
  side_model: "keep",
  notes: ["**/AGENTS.md", "**/CLAUDE.md", "**/.pi/**"],
  arguments: ARGUMENTS,
  start: (launch) => {
    const task = givenTask(launch);
    const variables = providerVariables(launch);
    const provider = launch.wire === "anthropic" ? "anthropic" : "openai";
    return {
      command: [
        ...([launch.entry, "-p", ...ownArguments(ARGUMENTS, launch.args)] as const),
        ...["--provider", provider, "--model", launch.model, ...expandHome(launch.args), task.argument],
      ],
      environment: { ...variables[provider], PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1" },
      home: {
        ...task.home,
        ".pi/agent/models.json": JSON.stringify({
          providers: {
            anthropic: { baseUrl: launch.base + PROVIDER_PATHS.anthropic },
            openai: { baseUrl: launch.base + PROVIDER_PATHS.openai },
          },
        }),
      },
    };
  },
  unwrap: (tool, output) => {
    const at = tool === "bash" ? output.lastIndexOf(EXIT) : -1;
    const told = at < 0 ? null : exitCodeAt(output.slice(at + EXIT.length));
    return told === null ? { output, exit_code: null } : { output: output.slice(0, at).trimEnd(), exit_code: told };
  },
};

/** After the output of a command that failed. */
const EXIT = "Command exited with code ";
