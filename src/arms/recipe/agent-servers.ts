import { AGENT_HOME } from "./inside.ts";
import type { AgentServer } from "./recipe.ts";

/** By name, in the form that most agents read: a program and its arguments. `more` is what an agent has beside that. */
const serverMap = (
  servers: readonly AgentServer[],
  more: (server: AgentServer) => object = () => ({}),
): Readonly<Record<string, object>> =>
  Object.fromEntries(
    servers.map((server) => {
      const [command = "", ...args] = server.command;
      return [server.name, { command, args, ...more(server) }];
    }),
  );

/** As Gemini CLI and what was made from it read them. They ask nobody whether a call may be made. */
export const geminiServers = (servers: readonly AgentServer[] | undefined) =>
  servers && { mcpServers: serverMap(servers, ({ timeout_s }) => ({ timeout: timeout_s * 1000, trust: true })) };

/** Where a file with servers lies that an argument names. */
const FILE = ".abeval/mcp.json";

/** The home file with the servers, and the argument that names it; nothing for none. */
export function serverFile(servers: readonly AgentServer[] | undefined, flag: string) {
  if (servers === undefined) return { args: [], home: {} };
  return {
    args: [flag, `${AGENT_HOME}/${FILE}`],
    home: { [FILE]: JSON.stringify({ mcpServers: serverMap(servers) }) },
  };
}
