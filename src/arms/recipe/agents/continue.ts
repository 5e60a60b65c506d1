import { type ArgumentRules, BY_MODEL, BY_PROXY, ownArguments } from "../arguments.ts";
import { expandHome, givenTask, PROVIDER_PATHS } from "../inside.ts";
import { own, type Recipe } from "../recipe.ts";
import { outputAsItIs } from "../unwrap-output.ts";

const ARGUMENTS: ArgumentRules = {
  own: [{ argv: ["--auto"], rivals: ["--readonly", "--allow", "--ask", "--exclude"] }],
  refused: {
    "--model": BY_MODEL,
    "--config": `${BY_PROXY}; lay your settings into \`files\`, at .continue/config.yaml`,
  },
};

export const continueCli: Recipe = {
  name: "continue",
  title: "Continue",
  identities: ["Continue", "Continue CLI"],
  wires: ["anthropic"],
  packages: ["@continuedev/cli"],
  programs: ["cn"],
  tested: ["1.5.47"],
  min_node: 20,
  tools: {
    Bash: "run_command",
    Read: "read_file",
    Edit: "edit_file",
    MultiEdit: "edit_file",
    Write: "write_file",
    List: "list_files",
    Search: "search_files",
    ...own(
      "Checklist",
      "CheckBackgroundJob",
      "Status",
      "Skills",
      "Subagent",
      "AskQuestion",
      "Exit",
      "Fetch",
      "ReportFailure",
      "UploadArtifact",
    ),
  },
  skill_tool: "Skills",
  side_model: "keep",
  notes: ["**/AGENTS.md", "**/CLAUDE.md", "**/.continue/**"],
  arguments: ARGUMENTS,
  start: (launch) => {
    const task = givenTask(launch);
    const apiBase = `${launch.base}${PROVIDER_PATHS.anthropic}/v1/`;
    const model = { name: launch.model, provider: "anthropic", model: launch.model, apiKey: launch.key, apiBase };
    return {
      command: [
        ...([launch.entry, "-p", "--config", "/home/agent/.continue/config.yaml"] as const),
        ...[...ownArguments(ARGUMENTS, launch.args), ...expandHome(launch.args), task.argument],
      ],
      environment: {},
      home: {
        ...task.home,
        // JSON is YAML, too.
        ".continue/config.yaml": JSON.stringify({ name: "abeval", version: "1.0.0", schema: "v1", models: [model] }),
      },
    };
  },
  unwrap: outputAsItIs,
};
