import { MAX_QUEUED, MAX_SESSIONS } from "../domain/defaults.ts";
import { Failure } from "../domain/failure.ts";
import { type CommandSpec, type ParsedArguments, parseArguments, UsageError } from "./arguments.ts";
import { DAY_LIMIT_FLAG, readPrices } from "./cost-flags.ts";
import { EXIT, exitCodeBeforeStart } from "./exit-code.ts";
import { claimStdout } from "./protocol-stdout.ts";
import { sandboxSettings } from "./sandbox-flags.ts";
import { GIT_FLAG, openServerServices, SHARED_FLAGS } from "./services.ts";

const SPEC = {
  name: "abeval mcp",
  usage: "abeval mcp [flags]",
  description:
    "Serves seven tools to one MCP client over stdin and stdout. Without --state-dir only list_scenarios, get_scenario\n" +
    "and run_doctor work. Ends when its input ends; runs in flight are stopped then and stored as interrupted.",
  examples: ["abeval mcp --state-dir ~/.abeval", "abeval mcp --scenarios-dir ./evals --state-dir ~/.abeval"],
  parameters: [],
  flags: {
    "scenarios-dir": { value: "<path>", description: "where the scenarios are (default scenarios)" },
    ...SHARED_FLAGS,
    ...GIT_FLAG,
    ...DAY_LIMIT_FLAG,
    "state-dir": { value: "<path>", description: "keep sessions here; needed by the tools that run and read sessions" },
  },
} as const satisfies CommandSpec<string>;

/** How long what is left may keep the process alive once everything is stored. */
const LINGER_MS = 100;

/** `abeval mcp`: returns the exit status when the client has gone or a signal came. */
export async function command(args: readonly string[]): Promise<number> {
  try {
    return await serve(await parseArguments(SPEC, args));
  } catch (error) {
    if (error instanceof UsageError) return complain(`${error.message}\nSee: abeval mcp --help`, EXIT.usage);
    if (error instanceof Failure) return complain(error.message, exitCodeBeforeStart(error.code));
    throw error;
  }
}

async function serve(args: ParsedArguments<keyof typeof SPEC.flags>): Promise<number> {
  const write = claimStdout();
  using services = await openServerServices({
    state_dir: args.value("state-dir"),
    scenarios_dir: args.value("scenarios-dir") ?? "scenarios",
    web_dir: undefined,
    listen_host: undefined,
    sandbox: sandboxSettings(args),
    prices: await readPrices(args),
    max_cost_per_day_usd: args.usd("max-cost-per-day"),
    keep_workspaces: args.has("keep-workspaces"),
    git_fixtures: args.has("allow-git-fixtures"),
    max_sessions: MAX_SESSIONS,
    max_queued: MAX_QUEUED,
    notice: (line) => void process.stderr.write(`abeval: ${line}\n`),
  });
  // Only now: whatever its packages print on loading goes to stderr.
  const { serveClient } = await import("../mcp/serve-client.ts");
  const told = new AbortController();
  let status: number = EXIT.done;
  const stop = (code: number) => () => {
    status = code;
    told.abort();
  };
  process.once("SIGINT", stop(EXIT.interrupted));
  process.once("SIGTERM", stop(EXIT.terminated));
  await serveClient(services, { input: Bun.stdin.stream(), write }, told.signal);
  setTimeout(() => process.exit(status), LINGER_MS).unref();
  return status;
}

function complain(message: string, status: number): number {
  process.stderr.write(`abeval: ${message}\n`);
  return status;
}
