import type { ExternalAgent } from "../../src/domain/external-agent.ts";
import { shellAgent } from "./plain-agent.ts";

/** How an agent sends what was said before: by the id of the last response, by the ids of its items, or as it is. */
export type Keeping = "previous_response_id" | "item_reference" | "whole";

/** An agent on OpenAI's responses that does as SDKs do which have the provider keep the conversation. */
export const responsesAgent = (keeping: Keeping, stream: boolean): ExternalAgent =>
  responsesModule(`
  const keeping = ${JSON.stringify(keeping)};
  let [before, input] = [undefined, [{ role: "user", content: "Make it two." }]];
  for (;;) {
    const reply = await ask({ input, stream: ${stream}, ...(before && { previous_response_id: before }) });
    const calls = reply.output.filter(({ type }) => type === "function_call");
    const said = reply.output.flatMap((item) => item.content ?? []).map(({ text }) => text).join("");
    if (calls.length === 0) { console.log(said); break; }
    const results = calls.map(({ call_id, arguments: given }) => ({
      type: "function_call_output", call_id, output: execSync(JSON.parse(given).command, { encoding: "utf8" }),
    }));
    if (keeping === "previous_response_id") [before, input] = [reply.id, results];
    else if (keeping === "whole") input = [...input, ...reply.output, ...results];
    else input = [...input, ...reply.output.map(({ id }) => ({ type: "item_reference", id })), ...results];
  }`);

/** A module that can \`ask\` for a response, streamed or not. */
export const responsesModule = (module: string): ExternalAgent => ({
  ...shellAgent(
    "bun /home/agent/agent.mjs",
    `
  import { execSync } from "node:child_process";
  const base = process.env.OPENAI_BASE_URL;
  const headers = { "content-type": "application/json", authorization: "Bearer " + process.env.OPENAI_API_KEY };
  const tools = [{ type: "function", name: "shell", parameters: { type: "object", properties: { command: { type: "string" } }, required: ["command"] } }];
  const send = (path, body) => fetch(base + path, body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) });
  async function ask(body) {
    const response = await send("/responses", { model: "m", tools, ...body });
    if (!response.ok) throw new Error(response.status + " " + (await response.text()));
    if (!body.stream) return await response.json();
    const events = (await response.text()).split("\\n\\n").flatMap((block) => /^data: (.*)$/m.exec(block)?.[1] ?? []);
    return JSON.parse(events.at(-1)).response;
  }
  ${module}`,
  ),
  wires: ["responses"],
});
