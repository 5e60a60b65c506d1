import type { ExternalAgent, WireName } from "../../domain/external-agent.ts";
import type { ToolName } from "../../domain/tool.ts";
import type { ArgumentRules } from "./arguments.ts";

/** How a coding agent of somebody else is started, and what its tools are. Data, and pure functions. */
export interface Recipe {
  /** As scenarios write it. */
  readonly name: string;
  /** The name that people read. */
  readonly title: string;
  /** Words that would tell a judge who it is. */
  readonly identities: readonly string[];
  /** What it can speak, the preferred one first. */
  readonly wires: readonly WireName[];
  /** Its packages on npm; none for a command of the scenario's own. */
  readonly packages: readonly string[];
  /** Names that its program can have in `node_modules/.bin`; the first that is there is started. */
  readonly programs: readonly string[];
  /** Versions that our tests have run. */
  readonly tested: readonly string[];
  /** Major version of Node that it needs; null when it is a program of its own. */
  readonly min_node: number | null;
  /** Exit codes with which it ends in order, beside 0; absent: none. */
  ok_exit?(args: readonly string[]): readonly number[];
  readonly tools: ToolTable;
  /** Its own tool that reads a skill by name; absent: it reads the skill's file like any other. */
  readonly skill_tool?: string;
  /** MCP servers become settings of its own; absent: abeval does not know how. */
  readonly takes_servers?: true;
  /** The model that its small calls beside the work ask, unless the scenario says otherwise. */
  readonly side_model: ExternalAgent["side_model"];
  /** Globs of its own files in a workspace. */
  readonly notes: readonly string[];
  /** `start` with `goes_on` goes on with the conversation that this home had last. Absent: it cannot. */
  readonly goes_on?: true;
  /** Absent: no argument of the user's meets one of its own. */
  readonly arguments?: ArgumentRules;
  /** Its command line, variables and files. `agent.env` and `agent.files` are laid over these. */
  start(launch: AgentLaunch): AgentStart;
  /** What a tool printed, without what the agent wraps around it. `tool` is the agent's own name of the tool. */
  unwrap(tool: string, output: string): UnwrappedOutput;
}

/** By the agent's own names. `own` is a tool that neither reads, changes nor runs anything of the workspace: plans, helpers. */
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
  /** Opens the proxy, and is no key of a provider. */
  readonly key: string;
  /** MCP servers that it starts by itself. Absent: none. */
  readonly servers?: readonly AgentServer[];
  /** Added to the command, before the prompt. */
  readonly args: readonly string[];
  /** The prompt is what the user says next. */
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
