import { asRecords, asText } from "../../../domain/lenient.ts";
import { readBoundedJson } from "../../../runtime/bounded-json.ts";
import { type ArgumentRules, BY_MODEL, BY_PROXY, ownArguments } from "../arguments.ts";
import { expandHome, givenTask, PROVIDER_PATHS } from "../inside.ts";
import { own, type Recipe, type UnwrappedOutput } from "../recipe.ts";
import { exitCodeAt } from "../unwrap-output.ts";

/** Its provider is set by a command of its own. The texts are arguments of the shell, and never part of its script. */
const SET_UP_AND_RUN =
  'cline=$1 key=$2 model=$3 url=$4; shift 4; "$cline" auth --provider openai --apikey "$key" --modelid "$model" ' +
  '--baseurl "$url" >/dev/null && exec "$cline" "$@"';

/** What its helpers do among themselves. */
const TEAM = [
  ...["spawn_teammate", "shutdown_teammate", "status", "task", "run_task", "cancel_run", "list_runs", "await_runs"],
  ...["send_message", "broadcast", "read_mailbox", "mission_log", "cleanup", "create_outcome", "list_outcomes"],
  ...["attach_outcome_fragment", "review_outcome_fragment", "finalize_outcome"],
];

const ARGUMENTS: ArgumentRules = {
  own: [{ argv: ["--json"] }, { argv: ["--auto-approve", "true"] }],
  refused: {
    ...{ "-m": BY_MODEL, "--model": BY_MODEL, "-P": BY_PROXY, "--provider": BY_PROXY, "-k": BY_PROXY },
    ...{ "--key": BY_PROXY, "--config": BY_PROXY, "--data-dir": BY_PROXY },
  },
};

export const cline: Recipe = {
  name: "cline",
  title: "Cline",
  identities: ["Cline"],
  wires: ["chat"],
  packages: ["cline"],
  programs: ["cline"],
  tested: ["3.0.65"],
  min_node: 20,
  tools: {
    run_commands: "run_command",
    execute_command: "run_command",
    read_files: "read_file",
    read_file: "read_file",
    apply_patch: "edit_file",
    replace_in_file: "edit_file",
    write_to_file: "write_file",
    list_files: "list_files",
    search_codebase: "search_files",
    search_files: "search_files",
    ...own("skills", "spawn_agent", "ask_question", "submit_and_exit", "attempt_completion", "plan_mode_respond"),
    ...own(...TEAM.map((name) => `team_${name}`)),
    ...own("fetch_web_content", "web_fetch", "web_search", "list_code_definition_names"),
  },
  skill_tool: "skills",
  side_model: "keep",
  notes: ["**/AGENTS.md", "**/.clinerules", "**/.clinerules/**", "**/.cline/**"],
  arguments: ARGUMENTS,
  start: (launch) => {
    const task = givenTask(launch);
    return {
      command: [
        ...(["/bin/sh", "-c", SET_UP_AND_RUN, "sh", launch.entry, launch.key, launch.model] as const),
        ...[launch.base + PROVIDER_PATHS.openai, ...ownArguments(ARGUMENTS, launch.args)],
        ...[...expandHome(launch.args), task.argument],
      ],
      environment: {},
      home: task.home,
    };
  },
  unwrap,
};

/** The most that is read of one output, which is a list of a few answers. */
const LIMITS = { bytes: 8 * 1024 * 1024, values: 10_000 };

/** Every tool answers with a list of what was asked and what came of it, as JSON. */
function unwrap(_tool: string, output: string): UnwrappedOutput {
  const json = readBoundedJson(Buffer.from(output), LIMITS);
  const answers = "value" in json ? asRecords(json.value).flatMap(({ result }) => asText(result) ?? []) : [];
  if (answers.length === 0) return { output, exit_code: null };
  const told =
    answers.length === 1 ? exitCodeAt(answers[0]?.startsWith(EXIT) ? answers[0].slice(EXIT.length) : "") : null;
  return { output: answers.map(withoutExit).join("\n"), exit_code: told };
}

/** The first line of what a command printed that failed. */
const EXIT = "[Command exited with code ";
const withoutExit = (text: string) => (text.startsWith(EXIT) ? text.slice(text.indexOf("\n") + 1) : text);
