import { MAX_SESSIONS } from "../../domain/defaults.ts";
import { plainText } from "../../domain/plain-text.ts";
import { rememberEnd } from "../../runtime/told-to-end.ts";
import { EXIT, exitCodeOfCommand } from "./exit-code.ts";
import { type CommandSpec, type ParsedArguments, parseArguments } from "./flags/parse-arguments.ts";
import { SERVER_FLAGS, serverSettings } from "./flags/service-flags.ts";
import { claimStdout } from "./services/own-process.ts";
import { openServerServices, tellBroken } from "./services/server-services.ts";

export const MCP = {
  name: "abeval mcp",
  usage: "abeval mcp [flags]",
  description:
    "Serves seven tools to one MCP client over stdin and stdout. Without --state-dir or --database-url only list_scenarios,\n" +
    "get_scenario and run_doctor work. When its input ends it stops its runs and stores them as interrupted; with a\n" +
    "database, workers run them and go on.",
  examples: ["abeval mcp --state-dir ~/.abeval", "abeval mcp --scenarios-dir ./evals --state-dir ~/.abeval"],
  parameters: [],
  flags: {
    "scenarios-dir": { value: "<path>", description: "read scenarios from here (default scenarios)" },
    ...SERVER_FLAGS,
    "state-dir": {
      value: "<path>",
      description: "keep sessions here; the tools that run and read sessions need this or a database",
    },
  },
} as const satisfies CommandSpec<string>;

/** Milliseconds that open handles may keep the process alive after everything is stored. */
const LINGER_MS = 100;

/** `abeval mcp`: returns the exit status when the client has gone or a signal came. */
export const command = (args: readonly string[]): Promise<number> =>
  exitCodeOfCommand(MCP.name, async () => await serve(await parseArguments(MCP, args)));

async function serve(args: ParsedArguments<keyof typeof MCP.flags>): Promise<number> {
  const write = claimStdout();
  const notice = (line: string) => void process.stderr.write(`abeval: ${plainText(line)}\n`);
  await using services = await openServerServices({
    ...(await serverSettings(args)),
    web_dir: undefined,
    listen_host: undefined,
    max_sessions: MAX_SESSIONS,
    notice,
  });
  tellBroken(services.catalog, notice);
  // Loaded after stdout was claimed, so that whatever its packages print goes to stderr.
  const { serveClient } = await import("../mcp/serve-client.ts");
  const told = new AbortController();
  let status: number = EXIT.done;
  const stop = (code: number) => () => {
    status = code;
    told.abort();
  };
  rememberEnd();
  process.once("SIGINT", stop(EXIT.interrupted));
  process.once("SIGTERM", stop(EXIT.terminated));
  await serveClient(services, { input: Bun.stdin.stream(), write }, told.signal);
  setTimeout(() => process.exit(status), LINGER_MS).unref();
  return status;
}
