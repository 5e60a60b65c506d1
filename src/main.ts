#!/usr/bin/env bun
import { ON_BUN } from "./runtime/on-bun.ts";
import { version } from "./runtime/version.ts";

const HELP = `abeval ${version}: compare two AI agents on one task, with evidence

Usage: the interface
  abeval run <scenario_file> [flags]   run the arms, judge them, print the verdict as JSON
  abeval serve [flags]                 serve the HTTP API and the web UI on one port
  abeval mcp [flags]                   serve seven tools to one MCP client over stdin and stdout

Usage: tools
  abeval check <scenario_file>         check a scenario without running its arms, and say what to fix
  abeval new <file> --prompts <file>...
                                       make a scenario of prompts or models, and a table of rows
  abeval init [file]                   ask on a terminal, and make such a scenario
  abeval new <file> --from <commit>    make a scenario from a commit that fixed something
  abeval show <id> [row] [flags]       show a stored session or series, and what each arm left
  abeval results <table> [flags]       compare results of another harness
  abeval bless <series_id> --out <file>
                                       write a stored series as a baseline
  abeval judge-test <scenario_file>    test the judge on evidence that no arm made
  abeval watch <series_id> [flags]     run an arm of a stored series once more, and say whether it got worse
  abeval prune [flags]                 delete stored sessions by age, size or scenario
  abeval drain [flags]                 have a server, or all of a database, take no more work, and wait for its runs
  abeval completions bash|zsh|fish     print what completes commands and flags in a shell
  abeval man                           print the manual page

  abeval <command> --help              show the flags and examples of a command
  abeval --version [--json]            print the version; as JSON also the commit, and what it shares with others
`;

/** One dynamic import a command, so that none pays for another's code. */
const COMMANDS: Readonly<Record<string, () => Promise<{ command: (args: readonly string[]) => Promise<number> }>>> = {
  run: () => import("./doors/cli/run.ts"),
  serve: () => import("./doors/cli/supervisor/supervise.ts"),
  mcp: () => import("./doors/cli/mcp.ts"),
  show: () => import("./doors/cli/show.ts"),
  prune: () => import("./doors/cli/prune.ts"),
  drain: () => import("./doors/cli/drain.ts"),
  watch: () => import("./doors/cli/watch.ts"),
  check: async () => (await import("./doors/cli/tools.ts")).toolCommand("check"),
  new: async () => (await import("./doors/cli/tools.ts")).toolCommand("new"),
  init: () => import("./doors/cli/init.ts"),
  results: async () => (await import("./doors/cli/tools.ts")).toolCommand("results"),
  bless: async () => (await import("./doors/cli/tools.ts")).toolCommand("bless"),
  completions: () => import("./doors/cli/shell/completions.ts"),
  man: () => import("./doors/cli/shell/man.ts"),
  "judge-test": async () => (await import("./doors/cli/tools.ts")).toolCommand("judge-test"),
};

/** For abeval itself: in a sandbox, and in a process that does bounded work. */
const HIDDEN: typeof COMMANDS = {
  __launch: () => import("./arms/agent/launcher.ts"),
  __serve: () => import("./doors/cli/serve.ts"),
  __work: () => import("./doors/cli/bounded-work.ts"),
};

/** On Deno there is `run`. */
const NEEDING_BUN = new Set(["serve", "mcp", "show", "prune", "drain", "watch"]);

process.on("uncaughtException", endUnlessUnread);
process.on("unhandledRejection", endUnlessUnread);

const [name, ...args] = process.argv.slice(2);

process.exitCode = await dispatch(name, args).catch(endWith);

/** A server goes on when nobody reads its log any more. */
async function endUnlessUnread(error: unknown): Promise<void> {
  if (error instanceof Error && "code" in error && error.code === "EPIPE") return;
  await endWith(error);
}

/** For an error that nobody expected. What was open is left as after a kill, and is recovered at the next start. */
async function endWith(error: unknown): Promise<never> {
  try {
    const { tellFault } = await import("./doors/cli/tell-fault.ts");
    tellFault(error);
  } finally {
    // What cannot be told either is a failure all the same.
    process.exit(1);
  }
}

async function dispatch(word: string | undefined, rest: readonly string[]): Promise<number> {
  if (word === "--version" || word === "-v") return await print(await versionText(rest));
  if (word === "--help" || word === "-h" || word === "help") return await print(HELP);
  if (word === undefined) return refuse(HELP);
  const load = [COMMANDS, HIDDEN].find((commands) => Object.hasOwn(commands, word))?.[word];
  if (load === undefined) return await refuseUnknown(word);
  if (!ON_BUN && NEEDING_BUN.has(word)) return refuse(`abeval: "${word}" needs Bun: https://bun.sh\n`);
  const { command } = await load();
  return await command(rest);
}

async function versionText([form]: readonly string[]): Promise<string> {
  if (form !== "--json") return `${version}\n`;
  const { readBuild } = await import("./doors/doctor/build.ts");
  return `${JSON.stringify(await readBuild())}\n`;
}

/** On Bun without the stream of stdout, which takes a third of such a start to load. */
async function print(text: string): Promise<number> {
  if (!ON_BUN) {
    process.stdout.write(text);
    return 0;
  }
  return await Bun.write(Bun.stdout, text).then(
    () => 0,
    () => 1,
  );
}

function refuse(text: string): number {
  process.stderr.write(text);
  return 2;
}

async function refuseUnknown(word: string): Promise<number> {
  if (word === "doctor") return refuse(`abeval: unknown command "doctor"; to check a scenario: abeval check <file>\n`);
  const { didYouMean } = await import("./domain/did-you-mean.ts");
  const isFlag = word.startsWith("-");
  const known = isFlag ? ["--help", "--version"] : Object.keys(COMMANDS);
  const hint = didYouMean(word, known) || `; there are ${known.join(", ")}.`;
  return refuse(`abeval: unknown ${isFlag ? "flag" : "command"} "${word}"${hint} Try abeval --help\n`);
}
