import { type ArgumentRules, BY_MODEL, BY_PROMPT, ownArguments } from "../arguments.ts";
import { expandHome, geminiServers, givenTask, providerVariables } from "../inside.ts";
import { own, type Recipe, type UnwrappedOutput } from "../recipe.ts";
import { belowHeader, exitCodeAt, withoutMarks } from "../unwrap-output.ts";

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

/** Names of the lines around what a shell command printed, before it and after it. */
const BEFORE = ["Command:", "Directory:"];
const AFTER = ["Error:", "Exit Code:", "Signal:", "Background PIDs:", "Process Group PGID:"];

/** Gemini CLI and what was made from it report a shell command alike. */
export function geminiOutput(_tool: string, output: string): UnwrappedOutput {
  const text = withoutMarks(output, "untrusted_context").trim();
  const found = belowHeader(text, BEFORE);
  if (found === null) return { output: text, exit_code: null };
  const { body, values } = withoutFooter(found.body);
  const told = values.get("Exit Code:");
  return { output: body === "(empty)" ? "" : body, exit_code: told === undefined ? null : exitCodeAt(told) };
}

/** The lines at the end that begin with these names go, and their values are kept. */
function withoutFooter(text: string): { readonly body: string; readonly values: ReadonlyMap<string, string> } {
  const values = new Map<string, string>();
  let end = text.length;
  for (let line = 0; line <= AFTER.length; line += 1) {
    const start = text.lastIndexOf("\n", end - 1) + 1;
    const name = AFTER.find((candidate) => text.startsWith(candidate, start));
    if (name === undefined || end <= 0) break;
    values.set(name, text.slice(start + name.length, end).trim());
    end = start - 1;
  }
  return { body: text.slice(0, Math.max(0, end)), values };
}
