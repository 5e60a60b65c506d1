import { type ArgumentRules, BY_MODEL, hasArgument, ownArguments } from "../arguments.ts";
import { expandHome, givenTask, providerVariables, serverFile } from "../inside.ts";
import { type AgentLaunch, own, type Recipe } from "../recipe.ts";
import { exitCodeAt, withoutBlocks, withoutMarks } from "../unwrap-output.ts";

const ARGUMENTS: ArgumentRules = {
  own: [
    { argv: ["--output-format", "stream-json"] },
    { argv: ["--verbose"] },
    {
      argv: ["--dangerously-skip-permissions"],
      rivals: [
        ...["--permission-mode", "--permission-prompts", "--permission-prompt-tool"],
        ...["--allowedTools", "--allowed-tools"],
      ],
    },
  ],
  refused: { "--model": BY_MODEL, "--fallback-model": BY_MODEL },
};

export const claudeCode: Recipe = {
  name: "claude-code",
  title: "Claude Code",
  identities: ["Claude Code"],
  wires: ["anthropic"],
  packages: ["@anthropic-ai/claude-code"],
  programs: ["claude"],
  tested: ["2.1.197", "2.1.330"],
  min_node: null,
  // Claude Code ends with 1 at a limit that these arguments set. Without them 1 is an error.
  ok_exit: (args) => (["--max-turns", "--max-budget-usd"].some((name) => hasArgument(args, name)) ? [1] : []),
  tools: {
    Bash: "run_command",
    Read: "read_file",
    Edit: "edit_file",
    MultiEdit: "edit_file",
    Write: "write_file",
    NotebookEdit: "edit_file",
    Glob: "list_files",
    LS: "list_files",
    Grep: "search_files",
    ...own("Task", "Agent", "TodoWrite", "TaskCreate", "TaskUpdate", "TaskList", "TaskGet", "TaskOutput", "TaskStop"),
    ...own("BashOutput", "KillShell", "KillBash", "Skill", "ToolSearch", "EnterPlanMode", "ExitPlanMode"),
    ...own("AskUserQuestion", "WebFetch", "WebSearch", "CronCreate", "CronDelete", "CronList", "ScheduleWakeup"),
    ...own("EnterWorktree", "ExitWorktree", "ReportFindings", "SendMessage", "ListAgents", "Workflow"),
    ...own("DeferredToolPlaceholder"),
  },
  skill_tool: "Skill",
  takes_servers: true,
  side_model: "keep",
  notes: ["**/CLAUDE.md", "**/CLAUDE.local.md", "**/.claude/**", ".mcp.json"],
  goes_on: true,
  arguments: ARGUMENTS,
  start: (launch: AgentLaunch) => {
    const task = givenTask(launch);
    const servers = serverFile(launch.servers, "--mcp-config");
    const slowest = Math.max(0, ...(launch.servers ?? []).map(({ timeout_s }) => timeout_s));
    return {
      command: [
        ...([launch.entry, "-p", task.argument, "--model", launch.model] as const),
        ...(launch.goes_on ? ["--continue"] : []),
        ...[...ownArguments(ARGUMENTS, launch.args), ...servers.args, ...expandHome(launch.args)],
      ],
      environment: {
        ...providerVariables(launch).anthropic,
        DISABLE_AUTOUPDATER: "1",
        DISABLE_TELEMETRY: "1",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        ...(slowest > 0 && { MCP_TOOL_TIMEOUT: String(Math.ceil(slowest * 1000)) }),
      },
      home: { ...task.home, ...servers.home },
    };
  },
  unwrap: (tool, output) => {
    const text = withoutMarks(withoutBlocks(output, "system-reminder"), "tool_use_error");
    const told = tool === "Bash" && text.startsWith(EXIT) ? exitCodeAt(text.slice(EXIT.length)) : null;
    if (told === null) return { output: text, exit_code: null };
    const end = text.indexOf("\n");
    return { output: end < 0 ? "" : text.slice(end + 1), exit_code: told };
  },
};

/** Before the output of a command that failed. */
const EXIT = "Exit code ";
