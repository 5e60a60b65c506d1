import { cut, excerpt } from "../../../domain/excerpt.ts";
import { Failure, isKilledFromOutside } from "../../../domain/failure.ts";
import { asRecord, asText } from "../../../domain/lenient.ts";
import type { ToolContext, ToolOutput } from "../tool.ts";
import { Connection, type ServerLaunch, serverTitle } from "./connection.ts";
import { PeerError, TimedOut } from "./json-rpc-peer.ts";
import type { ListedTool } from "./listed-tools.ts";

/** Ends after which a server is not started again. */
const MAX_ENDS = 2;

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

  /** Whatever the server does becomes a result that the model reads. @throws the signal's reason when it fires; Failure `killed_from_outside` */
  async call(tool: string, input: Record<string, unknown>, context: ToolContext): Promise<ToolOutput> {
    const { signal, max_output_bytes } = context;
    if (this.#ends >= MAX_ENDS) return noOutput("the server of this tool has ended for good");
    try {
      this.#connection ??= await Connection.open(this.#launch, signal);
      const result = await this.#connection.call(tool, input, signal);
      return callOutput(result, max_output_bytes) ?? noOutput("the answer of the server is no result of a tool");
    } catch (error) {
      signal.throwIfAborted();
      return this.#whatHappened(error);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connection?.[Symbol.asyncDispose]();
  }

  #whatHappened(error: unknown): ToolOutput {
    if (isKilledFromOutside(error)) throw error;
    this.#connection?.demandNotKilled();
    if (this.#connection === undefined) return this.#ended("it did not start again", this.#whyNotAgain(error));
    const { end } = this.#connection;
    if (end !== undefined) {
      this.#connection = undefined;
      return this.#ended(end);
    }
    if (error instanceof TimedOut) return noOutput(`timed out after ${this.#launch.server.timeout_s} s`);
    if (error instanceof PeerError) return noOutput(error.message);
    throw error;
  }

  #whyNotAgain(error: unknown): string {
    if (!(error instanceof Failure)) return "it cannot be started again";
    return error.message.replace(`${serverTitle(this.#launch.server)} `, "it ");
  }

  /**
   * The model knows which server it is; the judge reads the result too, and must not know.
   * @param why in our words alone: it stands in the verdict
   */
  #ended(why: string, told = why): ToolOutput {
    this.#ends += 1;
    const next = this.#ends < MAX_ENDS ? "is started again for the next call" : "is not started again";
    return {
      ...noOutput(`the server of this tool ended: ${told}; it ${next}`),
      fault: `${serverTitle(this.#launch.server)} ended (${why}) and ${next}`,
    };
  }
}

/**
 * What a model reads of an answer to `tools/call`: its texts, a note for everything else, or the structure when there is no
 * text. Undefined for what is no result of a tool.
 */
export function callOutput(result: unknown, max_output_bytes: number): ToolOutput | undefined {
  const { content = [], structuredContent, isError } = asRecord(result) ?? { content: null };
  if (!Array.isArray(content)) return undefined;
  const hasText = content.some((block) => asRecord(block)?.["type"] === "text");
  const structure = structuredContent === undefined || hasText ? [] : [JSON.stringify(structuredContent)];
  const text = [...content.map(blockText), ...structure].join("\n").toWellFormed();
  return {
    text: text === "" ? "[empty]" : excerpt(text, max_output_bytes),
    ok: isError !== true,
    exit_code: null,
    bytes: Buffer.byteLength(text),
  };
}

/** A call that came to nothing, in our own words. */
const noOutput = (why: string): ToolOutput => {
  const text = `[${why}]`;
  return { text, ok: false, exit_code: null, bytes: Buffer.byteLength(text) };
};

function blockText(given: unknown): string {
  const block = asRecord(given) ?? {};
  const { text, blob } = asRecord(block["resource"]) ?? {};
  switch (block["type"]) {
    case "text":
      return asText(block["text"]) ?? "";
    case "image":
    case "audio":
      return sizeNote(block["type"], block["data"]);
    case "resource":
      return asText(text) ?? sizeNote("file", blob);
    case "resource_link":
      return `[link to ${asText(block["uri"]) ?? "nowhere"}]`;
    default:
      return `[${cut(asText(block["type"]) ?? "something")}, not shown]`;
  }
}

/** @param data base64: four characters for three bytes */
const sizeNote = (what: string, data: unknown) =>
  `[${what}, ${Math.ceil(((asText(data) ?? "").length * 3) / 4 / 1000)} kB]`;
