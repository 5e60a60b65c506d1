import type { ExternalAgent, WireName } from "../../domain/external-agent.ts";
import type { ToolName } from "../../domain/tool.ts";
import type { ArgumentRules } from "./arguments.ts";

/** How to start an external coding agent, and what its tools are: data and pure functions. */
export interface Recipe {
  /** As scenarios write it. */
  readonly name: string;
  /** Its readable name. */
  readonly title: string;
  /** Words that would reveal it to a judge. */
  readonly identities: readonly string[];
  /** The formats that it speaks, the preferred one first. */
  readonly wires: readonly WireName[];
  /** Its packages on npm; none for a command of the scenario's own. */
  readonly packages: readonly string[];
  /** Possible names of its program in `node_modules/.bin`; the first that exists is started. */
  readonly programs: readonly string[];
  /** Versions that our tests ran. */
  readonly tested: readonly string[];
  /** Major version of Node that it needs; null when it is a program of its own. */
  readonly min_node: number | null;
  /** Normal exit codes besides 0; absent: none. */
  ok_exit?(args: readonly string[]): readonly number[];
  readonly tools: ToolTable;
  /** Its own tool that reads a skill by name; absent: it reads the skill's file like any other. */
  readonly skill_tool?: string;
  /** MCP servers become settings of its own; absent: abeval does not know how. */
  readonly takes_servers?: true;
  /** The model of its side calls, unless the scenario says otherwise. */
  readonly side_model: ExternalAgent["side_model"];
  /** Globs of its own files in a workspace. */
  readonly notes: readonly string[];
  /** `start` with `goes_on` continues the last conversation of this home. Absent: it cannot. */
  readonly goes_on?: true;
  /** Absent: no argument of the user conflicts with its own. */
  readonly arguments?: ArgumentRules;
  /** Its command line, variables and files. `agent.env` and `agent.files` override these. */
  start(launch: AgentLaunch): AgentStart;
  /** A tool's output without the agent's wrapper. `tool` is the agent's own name of the tool. */
  unwrap(tool: string, output: string): UnwrappedOutput;
}

/** Tools by the agent's own names. An `own` tool neither reads, changes nor runs anything in the workspace, such as plans and subagents. */
export type ToolTable = Readonly<Record<string, ToolName | "own">>;

/** An MCP server that an agent starts by itself. */
export interface AgentServer {
  readonly name: string;
  readonly command: readonly string[];
  /** For one call. */
  readonly timeout_s: number;
}

export interface AgentLaunch {
  /** Its program, as seen from inside. */
  readonly entry: string;
  /** The provider's own name for it, without our name for the provider. */
  readonly model: string;
  readonly prompt: string;
  /** Absolute path inside, below its home. `AgentStart.home` holds the file when the command needs it. */
  readonly prompt_file: string;
  readonly wire: WireName;
  /** `http://127.0.0.1:4010`. */
  readonly base: string;
  /** A token for the proxy, not a provider's key. */
  readonly key: string;
  /** MCP servers that it starts by itself. Absent: none. */
  readonly servers?: readonly AgentServer[];
  /** Added to the command, before the prompt. */
  readonly args: readonly string[];
  /** The prompt is the user's next message. */
  readonly goes_on?: boolean;
}

export interface AgentStart {
  readonly command: readonly [string, ...string[]];
  readonly environment: Readonly<Record<string, string>>;
  /** Text by path below its home directory. */
  readonly home: Readonly<Record<string, string>>;
}

export interface UnwrappedOutput {
  readonly output: string;
  /** Null when the text does not say. */
  readonly exit_code: number | null;
}

/** Rows of tools that touch nothing of the workspace. */
export const own = (...names: readonly string[]): ToolTable =>
  Object.fromEntries(names.map((name) => [name, "own" as const]));
