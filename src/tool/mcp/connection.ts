import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import {
  type CallToolResult,
  CallToolResultSchema,
  ErrorCode,
  type Tool as ListedTool,
  ListToolsResultSchema,
  McpError,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import type { JsonSchemaValidatorResult, jsonSchemaValidator } from "@modelcontextprotocol/sdk/validation";
import type { McpServer } from "../../domain/arm.ts";
import { cut } from "../../domain/excerpt.ts";
import { Failure } from "../../domain/failure.ts";
import { LINE_BYTES } from "../../lines.ts";
import type { CommandNetwork, ProcessEnd, SandboxedProcess } from "../../sandbox/sandbox.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { ProcessTransport } from "./process-transport.ts";

export interface ServerLaunch {
  readonly server: McpServer;
  /** Absolute path on this machine of what the server is installed in. */
  readonly install: string;
  readonly workspace: Workspace;
  readonly network: CommandNetwork;
  /** Globs of what it cannot change. */
  readonly read_only: readonly string[];
  readonly version: string;
  /** One line for the person who started the program. */
  readonly notice: (line: string) => void;
}

/** Milliseconds in which a server answers for the first time, and in which it lists its tools. */
const START_MS = 10_000;

/** Characters of what is wrong with an answer. */
const FAULT_CHARS = 300;

/** Tools that are read of a server, whatever is offered of them. */
const MAX_LISTED = 1_000;

/** Bytes that a server may print in all: long answers to many calls. */
const MAX_PRINTED_BYTES = 512 * 1024 * 1024;

/** An MCP server that runs, in a sandbox of its own over the arm's workspace. Disposal ends it. */
export class Connection implements AsyncDisposable {
  readonly #launch: ServerLaunch;
  readonly #process: SandboxedProcess;
  readonly #transport: ProcessTransport;
  readonly #client: Client;
  #end: ProcessEnd | undefined;
  #overlong = new AbortController();

  private constructor(launch: ServerLaunch, process: SandboxedProcess) {
    this.#launch = launch;
    this.#process = process;
    this.#transport = new ProcessTransport(process);
    this.#transport.ontoolong = () => this.#overlong.abort(new TooLong());
    const about = { name: "abeval", version: launch.version };
    // Sampling, roots and elicitation are not offered. A schema of a result is nobody's to hold the server to.
    this.#client = new Client(about, { capabilities: {}, jsonSchemaValidator: NO_VALIDATOR });
    void process.ended.then(
      (end) => this.#ended(end),
      () => this.#ended(UNKNOWN_END),
    );
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
      await connection.#starting(signal, async (options) => {
        await connection.#client.connect(connection.#transport, options);
      });
    } catch (error) {
      await connection[Symbol.asyncDispose]();
      throw error;
    }
    connection.#tellOfChanges();
    return connection;
  }

  /** How it ended; undefined while it runs. */
  get end(): ProcessEnd | undefined {
    return this.#end;
  }

  /** Every tool that it has. @throws Failure */
  async list(signal: AbortSignal): Promise<readonly ListedTool[]> {
    return await this.#starting(signal, async (options) => {
      const tools: ListedTool[] = [];
      for (let cursor: string | undefined, first = true; first || cursor; first = false) {
        const params = cursor === undefined ? {} : { cursor };
        const page = await this.#client.request({ method: "tools/list", params }, ListToolsResultSchema, options);
        tools.push(...page.tools);
        cursor = page.nextCursor;
        if (tools.length > MAX_LISTED || (page.tools.length === 0 && cursor))
          throw new Failure("setup_failed", `${this.#name} lists more tools than can be read (${MAX_LISTED})`);
      }
      return tools;
    });
  }

  /** @throws what the protocol's client throws; TooLong; the signal's reason */
  async call(tool: string, input: Record<string, unknown>, signal: AbortSignal): Promise<CallToolResult> {
    const overlong = new AbortController();
    this.#overlong = overlong;
    const request = { method: "tools/call", params: { name: tool, arguments: input } } as const;
    const timeout = this.#launch.server.timeout_s * 1000;
    try {
      const options = { timeout, signal: AbortSignal.any([signal, overlong.signal]) };
      return await this.#client.request(request, CallToolResultSchema, options);
    } catch (error) {
      // The client makes an error of its own of a signal's reason.
      signal.throwIfAborted();
      overlong.signal.throwIfAborted();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process[Symbol.asyncDispose]();
  }

  get #name(): string {
    return `MCP server ${this.#launch.server.name}`;
  }

  #ended(end: ProcessEnd): void {
    this.#end = end;
  }

  /** @throws Failure in the place of what the protocol's client throws */
  async #starting<T>(
    signal: AbortSignal,
    step: (options: { readonly timeout: number; readonly signal: AbortSignal }) => Promise<T>,
  ): Promise<T> {
    const deadline = AbortSignal.timeout(START_MS);
    try {
      return await step({ timeout: START_MS, signal: AbortSignal.any([signal, deadline]) });
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Failure) throw error;
      throw new Failure("setup_failed", `${this.#name} does not start: ${this.#whyNot(error)}`, { cause: error });
    }
  }

  #whyNot(error: unknown): string {
    const { complaint } = this.#transport;
    const said = complaint === "" ? "" : `; it said: ${complaint}`;
    if (this.#end) return `it ended (${endText(this.#end)})${said}`;
    if (error instanceof McpError && error.code === ErrorCode.RequestTimeout)
      return `it did not answer in ${START_MS / 1000} s${said}`;
    const fault = error instanceof Error ? cut(error.message.replace(/\s+/g, " "), FAULT_CHARS) : "";
    return `its answer is of no use (${fault})${said}`;
  }

  #tellOfChanges(): void {
    let told = false;
    this.#client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
      if (!told) this.#launch.notice(`${this.#name} has changed its list of tools; the arm keeps those of its start`);
      told = true;
    });
  }
}

/** An answer was longer than any that is read. */
export class TooLong extends Error {
  override readonly message = `its answer has more than ${LINE_BYTES} bytes`;
}

/** As in "it ended (…)". */
export function endText({ ended, exit_code }: ProcessEnd): string {
  switch (ended) {
    case "exit":
      return exit_code === null ? "unknown how" : `exit code ${exit_code}`;
    case "memory_limit":
      return "it used too much memory";
    case "disk_limit":
      return "it used too much disk space";
    case "output_limit":
      return "it printed too much";
    case "timeout":
    case "killed":
      return "it was stopped, since it closed its output or did not read its input";
  }
}

const UNKNOWN_END: ProcessEnd = { ended: "exit", exit_code: null, duration_ms: 0 };

const NO_VALIDATOR: jsonSchemaValidator = {
  getValidator:
    <T>() =>
    (input: unknown): JsonSchemaValidatorResult<T> => ({ valid: true, data: input as T, errorMessage: undefined }), // unchecked
};
