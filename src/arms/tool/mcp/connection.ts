import type { McpServer } from "../../../domain/arm.ts";
import { cut } from "../../../domain/excerpt.ts";
import { Failure, isKilledFromOutside } from "../../../domain/failure.ts";
import { asRecord } from "../../../domain/lenient.ts";
import { type Clock, startTimer } from "../../../runtime/clock.ts";
import type { CommandNetwork, ProcessEnd, SandboxedProcess } from "../../sandbox/sandbox.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { JsonRpcPeer, TimedOut } from "./json-rpc-peer.ts";
import { type ListedTool, readToolPage, UnusableTools } from "./listed-tools.ts";

export interface ServerLaunch {
  readonly server: McpServer;
  /** Absolute path on this machine of what the server is installed in. */
  readonly install: string;
  readonly workspace: Workspace;
  readonly network: CommandNetwork;
  /** Globs of what it cannot change. */
  readonly read_only: readonly string[];
  readonly version: string;
  readonly clock: Clock;
  /** One line for the person who started the program. */
  readonly notice: (line: string) => void;
}

/**
 * Versions of the protocol that a server may speak, the SDK's. The first one is asked for. They stand here because a program
 * that only asks servers would stand still for 60 ms while it loads the SDK's schemas.
 */
export const PROTOCOL_VERSIONS: readonly [latest: string, ...earlier: string[]] = [
  "2025-11-25",
  "2025-06-18",
  "2025-03-26",
  "2024-11-05",
  "2024-10-07",
];

/** Milliseconds in which a server answers for the first time, and in which it lists its tools. */
const START_MS = 10_000;

/** Characters of what is wrong with an answer. */
const FAULT_CHARS = 300;

/** Tools that are read of a server, whatever is offered of them. */
const MAX_LISTED = 1_000;

/** Bytes of names, descriptions and schemas that are held of its list. */
const MAX_LISTED_BYTES = 10_000_000;

/** Bytes that a server may print in all: long answers to many calls. */
const MAX_PRINTED_BYTES = 512 * 1024 * 1024;

/** An MCP server that runs, in a sandbox of its own over the arm's workspace. Disposal ends it. */
export class Connection implements AsyncDisposable {
  readonly #launch: ServerLaunch;
  readonly #process: SandboxedProcess;
  readonly #peer: JsonRpcPeer;
  #end: ProcessEnd | undefined;
  #killed: Failure | undefined;
  #toldOfChange = false;

  private constructor(launch: ServerLaunch, process: SandboxedProcess) {
    this.#launch = launch;
    this.#process = process;
    void process.ended.then(
      (end) => this.#ended(end),
      (error: unknown) => this.#ended(UNKNOWN_END, error),
    );
    this.#peer = new JsonRpcPeer(process, launch.clock, (method) => this.#hear(method));
  }

  /** Starts it and waits until it answers. @throws Failure saying why it does not; the signal's reason. */
  static async open(launch: ServerLaunch, signal: AbortSignal): Promise<Connection> {
    const { server, install, workspace, network, read_only } = launch;
    const [program = "", ...args] = server.command;
    const process = await workspace.attach(
      {
        ...{ command: [program, ...args], network, max_printed_bytes: MAX_PRINTED_BYTES },
        ...{ read_only, mounts: [{ from: install, to: `/opt/mcp/${server.name}` }] },
      },
      signal,
    );
    const connection = new Connection(launch, process);
    try {
      await connection.#starting(signal, async (options) => await connection.#greet(options));
    } catch (error) {
      await connection[Symbol.asyncDispose]();
      throw error;
    }
    return connection;
  }

  /** Why it ended, the limit that it went beyond first of all; undefined while it runs. */
  get end(): string | undefined {
    return this.#end && (this.#peer.excess ?? endText(this.#end));
  }

  /** @throws Failure `killed_from_outside` once that is how it ended */
  demandNotKilled(): void {
    if (this.#killed) throw this.#killed;
  }

  /** Every tool that it has. @throws Failure */
  async list(signal: AbortSignal): Promise<readonly ListedTool[]> {
    return await this.#starting(signal, async (options) => await this.#listed(options));
  }

  /** The answer as it came. @throws as `JsonRpcPeer.request` */
  async call(tool: string, input: Record<string, unknown>, signal: AbortSignal): Promise<unknown> {
    const timeout_ms = this.#launch.server.timeout_s * 1000;
    return await this.#peer.request("tools/call", { name: tool, arguments: input }, { timeout_ms, signal });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process[Symbol.asyncDispose]();
  }

  /** Sampling, roots and elicitation are not offered. */
  async #greet(options: StepOptions): Promise<void> {
    const clientInfo = { name: "abeval", version: this.#launch.version };
    const params = { protocolVersion: PROTOCOL_VERSIONS[0], capabilities: {}, clientInfo };
    const version = asRecord(await this.#peer.request("initialize", params, options))?.["protocolVersion"];
    if (typeof version !== "string") throw new UnusableTools("it names no version of the protocol");
    if (!PROTOCOL_VERSIONS.includes(version))
      throw new UnusableTools(`it speaks version ${cut(version)} of the protocol, which abeval does not`);
    this.#peer.notify("notifications/initialized", {});
  }

  get #name(): string {
    return serverTitle(this.#launch.server);
  }

  #ended(end: ProcessEnd, error?: unknown): void {
    this.#end = end;
    if (isKilledFromOutside(error)) this.#killed = error;
  }

  async #listed(options: StepOptions): Promise<readonly ListedTool[]> {
    const tools: ListedTool[] = [];
    let [bytes, cursor] = [0, ""];
    do {
      const page = readToolPage(await this.#peer.request("tools/list", cursor === "" ? {} : { cursor }, options));
      tools.push(...page.tools);
      bytes += Buffer.byteLength(JSON.stringify(page.tools));
      cursor = page.cursor;
      // Empty pages could go on for ever.
      if (tools.length > MAX_LISTED || (page.tools.length === 0 && cursor !== ""))
        throw new Failure("setup_failed", `${this.#name} lists more tools than can be read (${MAX_LISTED})`);
      if (bytes > MAX_LISTED_BYTES)
        throw new UnusableTools(`it describes its tools in more than ${MAX_LISTED_BYTES} bytes`);
    } while (cursor !== "");
    return tools;
  }

  /** @throws Failure in the place of what the server caused */
  async #starting<T>(signal: AbortSignal, step: (options: StepOptions) => Promise<T>): Promise<T> {
    const deadline = new AbortController();
    using _timer = startTimer(this.#launch.clock, START_MS, () => deadline.abort());
    try {
      return await step({ timeout_ms: START_MS, signal: AbortSignal.any([signal, deadline.signal]) });
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Failure) throw error;
      this.demandNotKilled();
      const why = deadline.signal.aborted ? new TimedOut() : error;
      throw new Failure("setup_failed", `${this.#name} does not start: ${this.#whyNot(why)}`, { cause: error });
    }
  }

  #whyNot(error: unknown): string {
    const { complaint } = this.#peer;
    const said = complaint === "" ? "" : `; it said: ${complaint}`;
    if (this.end !== undefined) return `it ended (${this.end})${said}`;
    if (error instanceof TimedOut) return `it did not answer in ${START_MS / 1000} s${said}`;
    const fault = error instanceof Error ? cut(error.message.replace(/\s+/g, " "), FAULT_CHARS) : "";
    return `its answer is of no use (${fault})${said}`;
  }

  #hear(method: string): void {
    if (method !== "notifications/tools/list_changed" || this.#toldOfChange) return;
    this.#toldOfChange = true;
    this.#launch.notice(`${this.#name} has changed its list of tools; the arm keeps those of its start`);
  }
}

interface StepOptions {
  readonly timeout_ms: number;
  readonly signal: AbortSignal;
}

/** What a person calls it. */
export const serverTitle = ({ name }: McpServer) => `MCP server ${name}`;

/** How a process ended, as in "ended: ...". */
function endText({ ended, exit_code }: ProcessEnd): string {
  switch (ended) {
    case "exit":
      return exit_code === null ? "unknown how" : `exit code ${exit_code}`;
    case "memory_limit":
      return "it used too much memory";
    case "disk_limit":
      return "it used too much disk space";
    case "output_limit":
      return `it printed more than ${MAX_PRINTED_BYTES} bytes`;
    case "timeout":
    case "killed":
      return "it was stopped, since it closed its output or did not read its input";
  }
}

const UNKNOWN_END: ProcessEnd = { ended: "exit", exit_code: null, duration_ms: 0 };
