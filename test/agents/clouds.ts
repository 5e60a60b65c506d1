import { expect } from "bun:test";
import { join } from "node:path";
import { AzureOpenAI, type OpenAI } from "openai";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { NODE, SANDBOX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { CLAUDE_CODES, QWEN_CODE } from "./clis.ts";
import { AGENTS_DIR, install, registry } from "./installs.ts";
import { playCli, runCli } from "./run-cli.ts";

const [, CLAUDE_CODE] = CLAUDE_CODES;
const SDKS = {
  "bedrock-sdk-1.1.3": "@anthropic-ai/bedrock-sdk@1.1.3",
  "vertex-sdk-1.1.3": "@anthropic-ai/vertex-sdk@1.1.3",
};
const installed = install({
  ...SDKS,
  [CLAUDE_CODE.install]: CLAUDE_CODE.package,
  [QWEN_CODE.install]: QWEN_CODE.package,
});

type Body = Readonly<Record<string, unknown>>;

/** A frame of AWS's event stream: lengths and their sum, headers, what it carries, and the sum of all. */
function frame(payload: string): Buffer {
  const headers = Buffer.concat(
    Object.entries({ ":message-type": "event", ":event-type": "chunk", ":content-type": "application/json" }).map(
      ([name, value]) => {
        const [key, text] = [Buffer.from(name), Buffer.from(value)];
        const length = Buffer.alloc(2);
        length.writeUInt16BE(text.length);
        return Buffer.concat([Buffer.from([key.length]), key, Buffer.from([7]), length, text]);
      },
    ),
  );
  const body = Buffer.from(payload);
  const whole = Buffer.alloc(12 + headers.length + body.length + 4);
  whole.writeUInt32BE(whole.length, 0);
  whole.writeUInt32BE(headers.length, 4);
  whole.writeUInt32BE(Bun.hash.crc32(whole.subarray(0, 8)), 8);
  headers.copy(whole, 12);
  body.copy(whole, 12 + headers.length);
  whole.writeUInt32BE(Bun.hash.crc32(whole.subarray(0, whole.length - 4)), whole.length - 4);
  return whole;
}

const SIGNED =
  /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/us-east-1\/bedrock\/aws4_request, SignedHeaders=\S+, Signature=[0-9a-f]{64}$/;

/** The clouds' own forms, over what a provider replies. */
function startClouds(provider: string) {
  const asked: string[] = [];
  const reply = (path: string, body: Body) => fetch(provider + path, { method: "POST", body: JSON.stringify(body) });
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 60,
    async fetch(request) {
      const { pathname, searchParams } = new URL(request.url);
      const body: Body = JSON.parse(await request.text());
      const key = request.headers.get("authorization") ?? request.headers.get("api-key") ?? "";
      const bedrock = /^\/model\/([^/]+)\/invoke-with-response-stream$/.exec(pathname)?.[1];
      if (bedrock && SIGNED.test(key) && typeof body["anthropic_version"] === "string") {
        asked.push("bedrock");
        const events = await (
          await reply("/v1/messages", { ...body, model: decodeURIComponent(bedrock), stream: true })
        ).text();
        const datas = [...events.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => data);
        const frames = datas.map((data) => frame(JSON.stringify({ bytes: Buffer.from(data).toString("base64") })));
        return new Response(Buffer.concat(frames), {
          headers: { "content-type": "application/vnd.amazon.eventstream" },
        });
      }
      const vertex =
        /\/projects\/p\/locations\/us-east5\/publishers\/anthropic\/models\/([^/]+):streamRawPredict$/.exec(
          pathname,
        )?.[1];
      if (vertex && key === "Bearer vertex-token" && typeof body["anthropic_version"] === "string") {
        asked.push("vertex");
        return await reply("/v1/messages", { ...body, model: vertex });
      }
      const azure = /^\/openai\/deployments\/([^/]+)\/chat\/completions$/.exec(pathname)?.[1];
      if (azure && key === "azure-key" && searchParams.has("api-version")) {
        asked.push("azure");
        return await reply("/v1/chat/completions", { ...body, model: azure });
      }
      return new Response(`no such form: ${pathname}`, { status: 404 });
    },
  });
  return { asked, url: `http://127.0.0.1:${server.port}`, [Symbol.asyncDispose]: () => server.stop(true) };
}

interface Messages {
  readonly messages: { create(body: Body): Promise<AsyncIterable<{ readonly type: string }>> };
}

/** Anthropic's messages and OpenAI's chat on one side, the clouds' own clients on the other. */
async function startGateway(clouds: string) {
  const from = async (name: string, sdk: string) => await import(join(AGENTS_DIR, name, "node_modules", sdk));
  const { AnthropicBedrock } = await from("bedrock-sdk-1.1.3", "@anthropic-ai/bedrock-sdk");
  const { AnthropicVertex } = await from("vertex-sdk-1.1.3", "@anthropic-ai/vertex-sdk");
  const authorization = "Bearer vertex-token";
  const authClient = { getRequestHeaders: async () => new Headers({ authorization }) };
  const aws = { awsRegion: "us-east-1", awsAccessKey: "AKIDEXAMPLE", awsSecretKey: "secret" };
  const clients: Readonly<Record<string, Messages>> = {
    "on-bedrock": new AnthropicBedrock({ ...aws, baseURL: clouds }),
    "on-vertex": new AnthropicVertex({
      ...{ region: "us-east5", projectId: "p", authClient, baseURL: `${clouds}/v1` },
    }),
  };
  const azure = new AzureOpenAI({
    endpoint: clouds,
    apiKey: "azure-key",
    apiVersion: "2024-10-21",
    deployment: "on-azure",
  });
  async function* written(events: AsyncIterable<object>, isNamed: boolean) {
    for await (const event of events)
      yield `${isNamed && "type" in event ? `event: ${event.type}\n` : ""}data: ${JSON.stringify(event)}\n\n`;
    if (!isNamed) yield "data: [DONE]\n\n";
  }
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 60,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (request.method !== "POST") return new Response();
      const body: Body = await request.json();
      const client = clients[String(body["model"])];
      if (pathname === "/v1/messages" && client)
        return stream(written(await client.messages.create({ ...body, stream: true }), true));
      if (pathname !== "/v1/chat/completions") return new Response("no such path", { status: 404 });
      const asked = { ...body, stream: true } as unknown as OpenAI.ChatCompletionCreateParamsStreaming; // as the client wrote it
      return stream(written(await azure.chat.completions.create(asked), false));
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, [Symbol.asyncDispose]: () => server.stop(true) };
}

const stream = (text: AsyncIterable<string>) =>
  new Response(text as unknown as ReadableStream, { headers: { "content-type": "text/event-stream" } }); // Bun takes any iterable

const testCli = testNeeding(registry(installed), SANDBOX, NODE);

for (const cloud of ["bedrock", "vertex"])
  testCli(`Claude Code works through a gateway that speaks the form of ${cloud}`, async () => {
    await using provider = await startFakeProvider({ reply: playCli(CLAUDE_CODE) });
    await using clouds = startClouds(provider.url);
    await using gateway = await startGateway(clouds.url);
    const environment = { ANTHROPIC_BASE_URL: gateway.url, ANTHROPIC_API_KEY: "key-of-the-gateway" };
    const { outcome, summary } = await runCli({ environment }, { ...CLAUDE_CODE, model: `anthropic/on-${cloud}` });
    expect(outcome.failure).toBeNull();
    expect(summary).toMatchObject({ stop_reason: "final_answer", turns: 4, tool_calls: 4 });
    expect(summary?.probe?.passed).toBe(1);
    expect(clouds.asked).toEqual(Array(4).fill(cloud));
  });

testCli("an agent that speaks OpenAI's chat works through a gateway that speaks the form of azure", async () => {
  const qwen = QWEN_CODE;
  await using provider = await startFakeProvider({ reply: playCli(qwen) });
  await using clouds = startClouds(provider.url);
  await using gateway = await startGateway(clouds.url);
  const environment = { GATEWAY_BASE_URL: `${gateway.url}/v1`, GATEWAY_API_KEY: "key-of-the-gateway" };
  const { outcome, summary } = await runCli({ environment }, { ...qwen, model: "gateway/on-azure" });
  expect(outcome.failure).toBeNull();
  expect(summary?.probe?.passed).toBe(1);
  expect(new Set(clouds.asked)).toEqual(new Set(["azure"]));
});
