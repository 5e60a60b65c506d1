import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { RequestOptions } from "@modelcontextprotocol/sdk/shared/protocol.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv";
import type { JsonSchemaType, JsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/types.js";
import { PROGRAM, ROOT } from "../abeval.ts";

interface ToolResult {
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: what a server sends, checked by the client against the tool's schema
  readonly data: any;
  readonly isError: boolean;
  /** Of the whole result on the wire. */
  readonly bytes: number;
}

export interface TestClient extends AsyncDisposable {
  readonly client: Client;
  call(name: string, args?: Readonly<Record<string, unknown>>, options?: RequestOptions): Promise<ToolResult>;
}

/** The SDK's own client on the program's stdin and stdout; it has read the tools, so it checks each result. */
export async function connectProgram(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<TestClient> {
  const [command = "", ...rest] = PROGRAM;
  const transport = new StdioClientTransport({
    command,
    args: [...rest, ...args],
    cwd: ROOT,
    env: { PATH: process.env["PATH"] ?? "", HOME: "/dev/null/home", BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0", ...env },
    stderr: "ignore",
  });
  const client = newClient();
  await client.connect(transport);
  await client.listTools();
  return testClient(client);
}

const VALIDATOR = new AjvJsonSchemaValidator();
const VALIDATORS = new Map<string, JsonSchemaValidator<unknown>>();

/** The SDK's client with its own validator. A schema of a tool is compiled for the first client that reads it. */
export const newClient = () =>
  new Client(
    { name: "test", version: "1" },
    {
      jsonSchemaValidator: {
        getValidator<T>(schema: JsonSchemaType) {
          const key = JSON.stringify(schema);
          const validator = VALIDATORS.get(key) ?? VALIDATOR.getValidator(schema);
          VALIDATORS.set(key, validator);
          return validator as JsonSchemaValidator<T>; // what fits the schema, as the SDK says of its own
        },
      },
    },
  );

export const testClient = (client: Client): TestClient => ({
  client,
  async call(name, args = {}, options) {
    const result = (await client.callTool({ name, arguments: { ...args } }, undefined, options)) as CallToolResult; // no task was asked for
    const [content] = result.content;
    return {
      text: content?.type === "text" ? content.text : "",
      data: result.structuredContent,
      isError: result.isError === true,
      bytes: Buffer.byteLength(JSON.stringify(result)),
    };
  },
  [Symbol.asyncDispose]: () => client.close(),
});
