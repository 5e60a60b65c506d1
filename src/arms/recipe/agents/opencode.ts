import type { WireName } from "../../../domain/external-agent.ts";
import { type ArgumentRules, BY_MODEL, BY_PROXY, hasArgument, ownArguments } from "../arguments.ts";
import { expandHome, givenTask, PROVIDER_PATHS } from "../inside.ts";
import { type AgentServer, own, type Recipe } from "../recipe.ts";
import { withoutBlocks } from "../unwrap-output.ts";

const ARGUMENTS: ArgumentRules = {
  own: [{ argv: ["--format", "json"] }],
  refused: { "-m": BY_MODEL, "--model": BY_MODEL, "--attach": BY_PROXY },
};

export const opencode: Recipe = {
  name: "opencode",
  title: "opencode",
  identities: ["opencode"],
  wires: ["anthropic", "responses"],
  packages: ["opencode-ai"],
  programs: ["opencode"],
  tested: ["1.17.11", "1.18.33"],
  min_node: null,
  tools: {
    bash: "run_command",
    read: "read_file",
    edit: "edit_file",
    multiedit: "edit_file",
    patch: "edit_file",
    apply_patch: "edit_file",
    write: "write_file",
    list: "list_files",
    glob: "list_files",
    grep: "search_files",
    ...own("task", "todowrite", "todoread", "skill", "question", "plan_enter", "plan_exit", "invalid"),
    ...own("webfetch", "websearch", "codesearch"),
  },
  skill_tool: "skill",
  takes_servers: true,
  side_model: "keep",
  notes: ["**/AGENTS.md", "**/CLAUDE.md", "**/.opencode/**", "opencode.json", "opencode.jsonc"],
  arguments: ARGUMENTS,
  start: (launch) => {
    const task = givenTask(launch);
    const { provider, baseURL } = PROVIDERS[launch.wire](launch.base);
    const model = `${provider}/${launch.model}`;
    return {
      command: [
        ...([launch.entry, "run", "-m", model, ...ownArguments(ARGUMENTS, launch.args)] as const),
        ...[...expandHome(launch.args), task.argument],
      ],
      environment: {
        OPENCODE_DISABLE_AUTOUPDATE: "1",
        OPENCODE_DISABLE_MODELS_FETCH: "1",
        OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
        OPENCODE_CONFIG_CONTENT: JSON.stringify({
          share: "disabled",
          // An agent of the user's choice has permissions of its own.
          ...(!hasArgument(launch.args, "--agent") && { permission: "allow" }),
          ...(launch.servers && { mcp: serversOf(launch.servers) }),
          provider: { [provider]: { options: { baseURL, apiKey: launch.key }, models: { [launch.model]: {} } } },
        }),
      },
      home: task.home,
    };
  },
  unwrap: (_tool, output) => ({ output: withoutBlocks(output, "bash_metadata"), exit_code: null }),
};

const serversOf = (servers: readonly AgentServer[]) =>
  Object.fromEntries(servers.map(({ name, command }) => [name, { type: "local", command, enabled: true }]));

/** Its names of the providers, and the addresses that their clients add a path to. */
const openai = (base: string) => ({ provider: "openai", baseURL: base + PROVIDER_PATHS.openai });
const PROVIDERS: Readonly<Record<WireName, (base: string) => { readonly provider: string; readonly baseURL: string }>> =
  {
    anthropic: (base) => ({ provider: "anthropic", baseURL: `${base}${PROVIDER_PATHS.anthropic}/v1` }),
    responses: openai,
    chat: openai,
    gemini: (base) => ({ provider: "google", baseURL: `${base}${PROVIDER_PATHS.google}/v1beta` }),
  };
