import { ErrorCode, type Tool as ListedTool, McpError } from "@modelcontextprotocol/sdk/types.js";
import { cut } from "../../domain/excerpt.ts";
import { Failure } from "../../domain/failure.ts";
import type { ToolContext, ToolOutput } from "../tool.ts";
import { callOutput, noOutput } from "./call-output.ts";
import { Connection, endText, type ServerLaunch, TooLong } from "./connection.ts";

/** Ends after which a server is not started again. */
const MAX_ENDS = 2;

/** Characters of a server's own words about a call that failed. */
const SAID_CHARS = 500;

/** The server of an arm, for the whole arm. One that ends is started again once, for the next call. */
export class ToolServer implements AsyncDisposable {
  readonly #launch: ServerLaunch;
  #connection: Connection | undefined;
  #ends = 0;

  constructor(launch: ServerLaunch) {
    this.#launch = launch;
  }

  /** Starts it. @throws Failure `setup_failed` saying why it cannot be used; as `Workspace.attach`; the signal's reason. */
  async list(signal: AbortSignal): Promise<readonly ListedTool[]> {
    this.#connection = await Connection.open(this.#launch, signal);
    return await this.#connection.list(signal);
  }

  /** Whatever the server does becomes a result that the model reads. @throws the signal's reason when it fires */
  async call(tool: string, input: Record<string, unknown>, context: ToolContext): Promise<ToolOutput> {
    const { signal, max_output_bytes } = context;
    if (this.#ends >= MAX_ENDS) return noOutput("the server of this tool has ended for good");
    try {
      this.#connection ??= await Connection.open(this.#launch, signal);
      return callOutput(await this.#connection.call(tool, input, signal), max_output_bytes);
    } catch (error) {
      signal.throwIfAborted();
      return noOutput(this.#whatHappened(error));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connection?.[Symbol.asyncDispose]();
  }

  #whatHappened(error: unknown): string {
    if (this.#connection === undefined) {
      this.#ends += 1;
      return error instanceof Failure ? error.message : "the server of this tool cannot be started again";
    }
    const { end } = this.#connection;
    if (end) {
      this.#ends += 1;
      this.#connection = undefined;
      const again = this.#ends < MAX_ENDS ? "it is started again for the next call" : "it is not started again";
      return `the server of this tool ended: ${endText(end)}; ${again}`;
    }
    if (error instanceof TooLong) return error.message;
    if (error instanceof McpError && error.code === ErrorCode.RequestTimeout)
      return `timed out after ${this.#launch.server.timeout_s} s`;
    if (error instanceof McpError) return cut(error.message, SAID_CHARS);
    return "the answer of the server is no result of a tool";
  }
}
