import { type ArgumentRules, BY_MODEL, BY_PROMPT, ownArguments } from "../arguments.ts";
import { expandHome, givenTask, PROVIDER_PATHS } from "../inside.ts";
import { own, type Recipe, type UnwrappedOutput } from "../recipe.ts";
import { exitCodeAt } from "../unwrap-output.ts";

const ARGUMENTS: ArgumentRules = {
  own: [
    { argv: ["--allow-all-tools"], rivals: ["--allow-tool", "--allow-all", "--yolo", "--assisted-approval"] },
    { argv: ["--output-format", "json"] },
  ],
  refused: {
    ...{ "--model": BY_MODEL, "-p": BY_PROMPT, "--prompt": BY_PROMPT, "-i": BY_PROMPT, "--interactive": BY_PROMPT },
  },
};

export const copilot: Recipe = {
  name: "copilot",
  title: "Copilot CLI",
  identities: ["Copilot", "GitHub Copilot", "Copilot CLI"],
  wires: ["chat"],
  packages: ["@github/copilot"],
  programs: ["copilot-linux-x64", "copilot-linux-arm64"],
  tested: ["1.0.102"],
  min_node: null,
  tools: {
    bash: "run_command",
    write_bash: "run_command",
    view: "read_file",
    edit: "edit_file",
    apply_patch: "edit_file",
    create: "write_file",
    glob: "list_files",
    grep: "search_files",
    rg: "search_files",
    ...own("read_bash", "stop_bash", "list_bash", "report_intent", "task", "update_todo", "skill", "ask_user", "sql"),
    ...own("web_fetch", "web_search", "store_memory", "fetch_copilot_cli_documentation", "read_agent", "list_agents"),
    ...own("write_agent", "session_store_sql"),
  },
  skill_tool: "skill",
  side_model: "keep",
  notes: ["**/AGENTS.md", ".github/copilot-instructions.md", ".github/instructions/**", "**/.copilot/**"],
  arguments: ARGUMENTS,
  start: (launch) => {
    const task = givenTask(launch);
    return {
      command: [
        ...([launch.entry, "-p", task.argument, ...ownArguments(ARGUMENTS, launch.args)] as const),
        ...expandHome(launch.args),
      ],
      environment: {
        COPILOT_OFFLINE: "true",
        COPILOT_PROVIDER_BASE_URL: launch.base + PROVIDER_PATHS.openai,
        COPILOT_PROVIDER_API_KEY: launch.key,
        COPILOT_MODEL: launch.model,
      },
      home: task.home,
    };
  },
  unwrap,
};

/** How the line after an output says how its command ended. */
const EXIT = "exit code ";

/** `<exited with exit code 1>` or `<shellId: 0 completed with exit code 1>`. */
function unwrap(_tool: string, output: string): UnwrappedOutput {
  const text = output.trimEnd();
  const start = text.lastIndexOf("\n") + 1;
  const last = text.slice(start, start + 200);
  const at = last.indexOf(EXIT);
  if (!/^<(?:exited with|shellId: )/.test(last) || at < 0) return { output, exit_code: null };
  return { output: text.slice(0, Math.max(0, start - 1)), exit_code: exitCodeAt(last.slice(at + EXIT.length)) };
}
