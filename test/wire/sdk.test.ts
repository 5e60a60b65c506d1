import { afterAll, describe, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import type { WireCall, WireReply } from "../../src/arms/wire/wire.ts";
import { GOLDEN } from "./golden.ts";
import { pass, STREAM } from "./streams.ts";

let body = "";
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: () => new Response(body, { headers: { "content-type": "text/event-stream" } }),
});
afterAll(() => server.stop(true));

const client = { apiKey: "none", baseURL: server.url.href, maxRetries: 0 };
const anthropic = new Anthropic(client);
const openai = new OpenAI(client);

type Heard = Pick<WireReply, "text"> & { readonly inputs: readonly unknown[]; readonly tokens_out: number | undefined };

async function hearAnthropic(): Promise<Heard> {
  const request = { model: "m", max_tokens: 9, messages: [] };
  const { content, usage } = await anthropic.messages.stream(request).finalMessage();
  return {
    text: content.map((block) => (block.type === "text" ? block.text : "")).join(""),
    inputs: content.flatMap((block) => (block.type === "tool_use" ? [block.input] : [])),
    tokens_out: usage.output_tokens,
  };
}

async function hearChat(): Promise<Heard> {
  const { choices, usage } = await openai.chat.completions.stream({ model: "m", messages: [] }).finalChatCompletion();
  const message = choices[0]?.message;
  const functions = message?.tool_calls?.map((call) => ("function" in call ? call.function : null));
  const inputs = (functions ?? [message?.function_call]).flatMap((one) => (one ? [JSON.parse(one.arguments)] : []));
  return { text: message?.content ?? message?.refusal ?? "", inputs, tokens_out: usage?.completion_tokens };
}

async function hearResponses(): Promise<Heard> {
  const stream = openai.responses.stream({ model: "m", input: "x" });
  const { output, usage } = await stream.finalResponse();
  const texts = output.flatMap((item) => (item.type === "message" ? item.content : []));
  return {
    text: texts.map((part) => (part.type === "output_text" ? part.text : part.refusal)).join(""),
    inputs: output.flatMap((item): unknown[] => {
      if (item.type === "function_call") return [JSON.parse(item.arguments)];
      if (item.type === "custom_tool_call") return [item.input];
      return item.type === "local_shell_call" ? [item.action] : [];
    }),
    tokens_out: usage?.output_tokens,
  };
}

/** Those of the providers whose SDKs are here. */
const EARS = { anthropic: hearAnthropic, chat: hearChat, responses: hearResponses } as const;

const instead = ({ input }: WireCall) => (typeof input === "string" ? "refused" : { command: "echo refused" });

/** OpenAI's SDK takes two calls of one number for one call, also without us. */
const READABLE = GOLDEN.filter(({ title, reply }) => reply.ended === "whole" && !title.includes("numbers alike"));

describe.each(READABLE.flatMap((golden) => (golden.wire === "gemini" ? [] : [{ ...golden, hear: EARS[golden.wire] }])))(
  "$wire: $title",
  ({ wire, sent, reply, hear }) => {
    const { text, calls, tokens_out } = reply;

    test("the provider's SDK reads what was passed on", async () => {
      body = pass(wire, sent).bytes.toString();
      expect<unknown>(await hear()).toEqual({ text, tokens_out, inputs: calls.map(({ input }) => input) });
    });

    test("the provider's SDK reads what the gate exchanged", async () => {
      body = pass(wire, sent, { ...STREAM, gate: instead }).bytes.toString();
      expect<unknown>(await hear()).toEqual({ text, tokens_out, inputs: calls.map(instead) });
    });
  },
);
