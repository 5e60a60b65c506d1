import { geminiServers } from "../agent-servers.ts";
import { type ArgumentRules, BY_MODEL, BY_PROMPT, ownArguments } from "../arguments.ts";
import { expandHome, givenTask, providerVariables } from "../inside.ts";
import { own } from "../own.ts";
import type { Recipe } from "../recipe.ts";
import { geminiOutput } from "./gemini-output.ts";

/** Also of what was made from it. */
export const GEMINI_ARGUMENTS: ArgumentRules = {
  own: [
    { argv: ["--approval-mode", "yolo"], rivals: ["-y", "--yolo", "--allowed-tools"] },
    { argv: ["--output-format", "stream-json"], rivals: ["-o"] },
  ],
  refused: {
    ...{ "-m": BY_MODEL, "--model": BY_MODEL, "-p": BY_PROMPT, "--prompt": BY_PROMPT },
    ...{ "-i": BY_PROMPT, "--prompt-interactive": BY_PROMPT },
  },
};

export const geminiCli: Recipe = {
  name: "gemini-cli",
  title: "Gemini CLI",
  identities: ["Gemini CLI"],
  wires: ["gemini"],
  packages: ["@google/gemini-cli"],
  programs: ["gemini"],
  tested: ["0.61.0"],
  min_node: 20,
  // It reached the number of turns that its settings allow.
  ok_exit: () => [53],
  tools: {
    run_shell_command: "run_command",
    read_file: "read_file",
    read_many_files: "read_file",
    replace: "edit_file",
    write_file: "write_file",
    list_directory: "list_files",
    glob: "list_files",
    grep_search: "search_files",
    search_file_content: "search_files",
    ...own(
      "write_todos",
      "save_memory",
      "activate_skill",
      "codebase_investigator",
      "delegate_to_agent",
      "complete_task",
    ),
    ...own("list_background_processes", "read_background_output"),
    ...own(
      "google_web_search",
      "web_fetch",
      "ask_user",
      "get_internal_docs",
      "update_topic",
      "invoke_agent",
      "enter_plan_mode",
      "exit_plan_mode",
    ),
  },
  skill_tool: "activate_skill",
  takes_servers: true,
  side_model: "keep",
  notes: ["**/GEMINI.md", "**/.gemini/**"],
  arguments: GEMINI_ARGUMENTS,
  start: (launch) => {
    const task = givenTask(launch);
    return {
      command: [
        ...([launch.entry, "-p", task.argument, "-m", launch.model] as const),
        ...[...ownArguments(GEMINI_ARGUMENTS, launch.args), ...expandHome(launch.args)],
      ],
      // It ignores `yolo` in a folder that nobody has trusted.
      environment: { ...providerVariables(launch).google, GEMINI_CLI_TRUST_WORKSPACE: "true" },
      home: {
        ...task.home,
        ".gemini/settings.json": JSON.stringify({
          security: { auth: { selectedType: "gemini-api-key" } },
          privacy: { usageStatisticsEnabled: false },
          ...geminiServers(launch.servers),
        }),
      },
    };
  },
  unwrap: geminiOutput,
};
