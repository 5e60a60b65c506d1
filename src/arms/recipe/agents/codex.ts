import { type ArgumentRules, BY_MODEL, BY_PROXY, ownArguments } from "../arguments.ts";
import { expandHome, givenTask, PROVIDER_PATHS, providerVariables } from "../inside.ts";
import { type AgentServer, own, type Recipe } from "../recipe.ts";
import { belowHeader, exitCodeAt } from "../unwrap-output.ts";

const ARGUMENTS: ArgumentRules = {
  own: [
    { argv: ["--json"], rivals: ["--experimental-json"] },
    { argv: ["--skip-git-repo-check"] },
    {
      argv: ["--dangerously-bypass-approvals-and-sandbox"],
      rivals: [
        ...["--yolo", "--full-auto", "--approve-for-me", "-s", "--sandbox", "-a", "--ask-for-approval"],
        ...["-c sandbox_mode", "--config sandbox_mode", "-c approval_policy", "--config approval_policy"],
      ],
    },
  ],
  refused: {
    ...{ "-m": BY_MODEL, "--model": BY_MODEL, "-c model": BY_MODEL, "--config model": BY_MODEL },
    ...{ "-c model_provider": BY_PROXY, "--config model_provider": BY_PROXY },
    ...{ "-c model_providers.abeval": BY_PROXY, "--config model_providers.abeval": BY_PROXY },
    ...{ "--oss": BY_PROXY, "--local-provider": BY_PROXY },
  },
};

export const codex: Recipe = {
  name: "codex",
  title: "Codex CLI",
  identities: ["Codex", "Codex CLI"],
  wires: ["responses"],
  packages: ["@openai/codex"],
  programs: ["codex"],
  tested: ["0.159.3", "0.169.0"],
  min_node: 16,
  tools: {
    exec_command: "run_command",
    shell: "run_command",
    shell_command: "run_command",
    local_shell: "run_command",
    write_stdin: "run_command",
    apply_patch: "edit_file",
    read_file: "read_file",
    view_image: "read_file",
    list_dir: "list_files",
    grep_files: "search_files",
    ...own("update_plan", "spawn_agent", "send_input", "wait", "wait_agent", "close_agent", "resume_agent"),
    ...own("followup_task", "interrupt_agent", "list_agents", "send_message"),
    ...own("get_goal", "create_goal", "update_goal", "tool_search"),
    ...own("web_search", "request_user_input", "list_mcp_resources", "list_mcp_resource_templates"),
  },
  takes_servers: true,
  side_model: "keep",
  notes: ["**/AGENTS.md", "**/AGENTS.override.md", "**/.codex/**"],
  goes_on: true,
  arguments: ARGUMENTS,
  start: (launch) => {
    const task = givenTask(launch);
    const provider = `{name="abeval",base_url="${launch.base}${PROVIDER_PATHS.openai}",env_key="OPENAI_API_KEY",wire_api="responses"}`;
    return {
      command: [
        ...([launch.entry, "exec", ...ownArguments(ARGUMENTS, launch.args), "-m", launch.model] as const),
        ...(launch.servers ?? []).flatMap((server) => ["-c", `mcp_servers.${server.name}=${tomlOf(server)}`]),
        ...["-c", "model_provider=abeval", "-c", `model_providers.abeval=${provider}`],
        ...expandHome(launch.args),
        ...(launch.goes_on ? ["resume", "--last"] : []),
        task.argument,
      ],
      environment: providerVariables(launch).openai,
      home: task.home,
    };
  },
  unwrap: (_tool, output) => {
    const found = belowHeader(output, HEADERS);
    if (found === null) return { output, exit_code: null };
    const [told] = EXITS.flatMap((name) => found.values.get(name) ?? []);
    return { output: found.body, exit_code: told === undefined ? null : exitCodeAt(told) };
  },
};

/** JSON's texts and lists are TOML's, too. */
const tomlOf = ({ command: [program = "", ...args], timeout_s }: AgentServer): string =>
  `{command=${JSON.stringify(program)},args=${JSON.stringify(args)},tool_timeout_sec=${timeout_s}}`;

const EXITS = ["Process exited with code", "Exit code:"];
const HEADERS = [
  ...EXITS,
  ...["Chunk ID:", "Wall time:", "Process running with session ID", "Original token count:", "Total output lines:"],
];
