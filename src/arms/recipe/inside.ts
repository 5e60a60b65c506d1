import type { AgentLaunch, AgentServer } from "./recipe.ts";

/** Places that an agent sees. They are the same in every run, so that recorded requests are too. */
export const AGENT_HOME = "/home/agent";
export const AGENT_INSTALL = "/opt/agent";

/** Where the proxy serves each kind of provider, below its address. */
export const PROVIDER_PATHS = { anthropic: "/anthropic", openai: "/openai/v1", google: "/google" } as const;

/** Bytes of a prompt as one argument: Linux takes 128 kB. */
const PROMPT_BYTES = 100_000;

interface GivenTask {
  /** What stands for the prompt in the command. */
  readonly argument: string;
  /** The file with the prompt, when the argument only names it. */
  readonly home: Readonly<Record<string, string>>;
}

/** The prompt as one argument, or a sentence that names its file when it is too long for one. */
export function givenTask({ prompt, prompt_file }: Pick<AgentLaunch, "prompt" | "prompt_file">): GivenTask {
  if (Buffer.byteLength(prompt) > PROMPT_BYTES)
    return { argument: `Read your task in ${prompt_file} and do it.`, home: promptHome({ prompt, prompt_file }) };
  // A text that begins with a hyphen would be read as an option.
  return { argument: prompt.startsWith("-") ? `\n${prompt}` : prompt, home: {} };
}

export const promptHome = ({ prompt, prompt_file }: Pick<AgentLaunch, "prompt" | "prompt_file">) => ({
  [prompt_file.slice(AGENT_HOME.length + 1)]: prompt,
});

/** No shell reads the arguments, and `~/` is how people name files of a home directory. */
export const expandHome = (args: readonly string[]): string[] =>
  args.map((arg) => (arg.startsWith("~/") ? AGENT_HOME + arg.slice(1) : arg));

/** The variables with which a CLI finds a provider and its key, by the names of the providers' own SDKs. */
export const providerVariables = ({ base, key }: Pick<AgentLaunch, "base" | "key">) => ({
  anthropic: { ANTHROPIC_BASE_URL: base + PROVIDER_PATHS.anthropic, ANTHROPIC_API_KEY: key },
  openai: { OPENAI_BASE_URL: base + PROVIDER_PATHS.openai, OPENAI_API_KEY: key },
  google: { GOOGLE_GEMINI_BASE_URL: base + PROVIDER_PATHS.google, GEMINI_API_KEY: key },
});

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
