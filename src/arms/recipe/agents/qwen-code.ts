import { type ArgumentRules, BY_PROXY, ownArguments } from "../arguments.ts";
import { expandHome, geminiServers, givenTask, providerVariables } from "../inside.ts";
import { own, type Recipe } from "../recipe.ts";
import { GEMINI_ARGUMENTS, geminiOutput } from "./gemini-cli.ts";

const ARGUMENTS: ArgumentRules = {
  own: GEMINI_ARGUMENTS.own,
  refused: {
    ...GEMINI_ARGUMENTS.refused,
    ...{ "--auth-type": BY_PROXY, "--openai-api-key": BY_PROXY, "--openai-base-url": BY_PROXY },
  },
};

export const qwenCode: Recipe = {
  name: "qwen-code",
  title: "Qwen Code",
  identities: ["Qwen Code"],
  wires: ["chat"],
  packages: ["@qwen-code/qwen-code"],
  programs: ["qwen"],
  tested: ["0.15.10"],
  min_node: 20,
  // It reached the number of turns that its settings allow.
  ok_exit: () => [53],
  tools: {
    run_shell_command: "run_command",
    monitor: "run_command",
    read_file: "read_file",
    read_many_files: "read_file",
    edit: "edit_file",
    replace: "edit_file",
    write_file: "write_file",
    list_directory: "list_files",
    glob: "list_files",
    grep_search: "search_files",
    search_file_content: "search_files",
    ...own("todo_write", "save_memory", "skill", "task", "agent", "exit_plan_mode", "ask_user_question"),
    ...own("web_fetch", "web_search", "task_stop", "send_message", "tool_search"),
  },
  skill_tool: "skill",
  takes_servers: true,
  side_model: "keep",
  notes: ["**/QWEN.md", "**/.qwen/**"],
  arguments: ARGUMENTS,
  start: (launch) => {
    const task = givenTask(launch);
    return {
      command: [
        ...([launch.entry, "-p", task.argument, "--auth-type", "openai", "-m", launch.model] as const),
        ...[...ownArguments(ARGUMENTS, launch.args), ...expandHome(launch.args)],
      ],
      environment: providerVariables(launch).openai,
      home: {
        ...task.home,
        ".qwen/settings.json": JSON.stringify({
          privacy: { usageStatisticsEnabled: false },
          ...geminiServers(launch.servers),
        }),
      },
    };
  },
  unwrap: geminiOutput,
};
