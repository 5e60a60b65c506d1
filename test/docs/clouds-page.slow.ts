import { expect, test } from "bun:test";
import { loadScenarioFile } from "../../src/comparison/scenario/load-scenario.ts";
import { type FakeProvider, startFakeProvider } from "../fake-provider/fake-provider.ts";
import { runOnce, testServices } from "../harness.ts";
import { SANDBOX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { scenarioFolder } from "../scenario/scenario-folder.ts";
import { readPage } from "./pages.ts";

/** How a cloud takes requests: by host, the path below which a form stands, and the headers of which one holds the key. */
const CLOUDS = [
  {
    host: "bedrock-runtime.us-east-1.amazonaws.com",
    below: "/anthropic",
    keys: ["authorization: Bearer my-bedrock-key"],
  },
  { host: "bedrock-runtime.us-east-1.amazonaws.com", below: "/openai", keys: ["authorization: Bearer my-bedrock-key"] },
  {
    host: "us-central1-aiplatform.googleapis.com",
    below: "/v1/projects/my-project/locations/us-central1/endpoints/openapi",
    keys: ["authorization: Bearer my-access-token"],
  },
  {
    host: "my-resource.openai.azure.com",
    below: "/openai",
    keys: ["api-key: my-azure-key", "authorization: Bearer my-entra-token"],
  },
  { host: "my-resource.services.ai.azure.com", below: "/anthropic", keys: ["x-api-key: my-foundry-key"] },
  { host: "127.0.0.1:4000", below: "", keys: ["x-api-key: my-gateway-key", "authorization: Bearer my-gateway-key"] },
];

/** Stands for the clouds, each below the name of its host, and serves nothing but their own paths to those with their keys. */
function startClouds(provider: FakeProvider) {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const cloud = CLOUDS.find(({ host, below }) => pathname.startsWith(`/${host}${below}/`));
      if (!cloud || search.includes("api-version")) return new Response("no such path", { status: 404 });
      const isKey = (header: string) => request.headers.get(header.split(": ")[0] ?? "") === header.split(": ")[1];
      if (!cloud.keys.some(isKey)) return new Response("no such key", { status: 401 });
      const rest = pathname.slice(`/${cloud.host}${cloud.below}`.length).replace(/^(\/v1)?/, "/v1");
      const { method, headers } = request;
      return await fetch(provider.url + rest, { method, headers, body: await request.text() });
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, [Symbol.asyncDispose]: () => server.stop(true) };
}

interface Recipe {
  readonly title: string;
  /** Variables by name, which lead to the stand-in. */
  readonly settings: (url: string) => Record<string, string>;
  readonly names: readonly string[];
}

const { blocks, text } = await readPage("docs/clouds.md");
const recipes = blocks
  .filter(({ language }) => language === "sh")
  .map(({ text: lines }): Recipe => {
    const pairs = [...lines.matchAll(/^export (\w+)=(.*)$/gm)].map(
      ([, name = "", value = ""]) => [name, value.replace(/^'(.*)'$/, "$1")] as const,
    );
    const led = (value: string, url: string) => value.replace(/^https?:\//, url);
    return {
      title:
        text
          .slice(0, text.indexOf(lines))
          .match(/^## .*$/gm)
          ?.at(-1) ?? "",
      names: pairs.map(([name]) => name),
      settings: (url) => Object.fromEntries(pairs.map(([name, value]) => [name, led(value, url)])),
    };
  });

const MODEL = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";

const FORMS = {
  anthropic: ["ANTHROPIC", "/v1/messages", '{ max_tokens: 9, messages: [{ role: "user", content }] }'],
  chat: ["OPENAI", "/chat/completions", '{ messages: [{ role: "user", content }] }'],
  responses: ["OPENAI", "/responses", "{ input: content }"],
} as const;

/** A program that asks once over a form and ends. */
function asking(wire: keyof typeof FORMS) {
  const [name, path, said] = FORMS[wire];
  const program = `const { ${name}_BASE_URL: base, ${name}_API_KEY: key } = process.env;
const content = process.argv[2];
const headers = { "content-type": "application/json", "x-api-key": key, authorization: "Bearer " + key };
const body = JSON.stringify({ model: "m", stream: true, ...${said} });
console.log(await (await fetch(base + "${path}", { method: "POST", headers, body })).text());`;
  const command = ["bun", "/home/agent/ask.mjs", "{prompt}"];
  return { agent: { command, files: { files: { "ask.mjs": program } }, wires: [wire] } };
}

/** What may stand in an arm for a provider: every agent whose form its address has, and our own loop. */
function armsOf(names: readonly string[]) {
  const providers = names.filter((name) => name.endsWith("_BASE_URL")).map((name) => name.replace(/_BASE_URL$/, ""));
  return providers.flatMap((name) => {
    const provider = name.replace(/_ANTHROPIC$/, "").toLowerCase();
    const model = `${provider}/${MODEL}`;
    if (name === "ANTHROPIC") return [{ model }, { model, ...asking("anthropic") }];
    if (name.endsWith("_ANTHROPIC")) return [{ model, ...asking("anthropic") }];
    const chat = [{ model }, { model, ...asking("chat") }];
    return name === "VERTEX" ? chat : [...chat, { model, ...asking("responses") }];
  });
}

test("the page has a recipe for each cloud", () => {
  expect(recipes.map(({ title }) => title.replace("## ", ""))).toEqual([
    "Claude on Bedrock",
    "Other models on Bedrock",
    "Gemini on Vertex AI",
    ...["OpenAI's models on Azure", "OpenAI's models on Azure"],
    "Claude on Azure",
    "Two clouds, one comparison",
    "Through a gateway",
  ]);
});

for (const [index, { title, names, settings }] of recipes.entries())
  testNeeding(SANDBOX)(`${title.slice(3)} (${index}): what the page sets leads arms and agents there`, async () => {
    await using provider = await startFakeProvider({ reply: () => ({ text: "Said." }) });
    await using clouds = startClouds(provider);
    const arms = armsOf(names);
    for (const [at, arm] of arms.entries()) {
      const other = { id: "other", model: "scripted/x", script: [{ say: "No." }] };
      const rubric = { criteria: [{ measure: "turns" }], judge: { model: "builtin/evidence" } };
      const scenario = { name: "cloud", task: { prompt: "Say it." }, arms: [{ id: "one", ...arm }, other], rubric };
      await using folder = await scenarioFolder({ "cloud.yaml": JSON.stringify(scenario) });
      const services = testServices(settings(clouds.url));
      const { outcome } = await runOnce(services, await loadScenarioFile(folder.path("cloud.yaml")));
      expect(outcome.failure).toBeNull();
      expect(outcome.arms[0]?.final_answer).toBe("Said.");
      expect(provider.requests.at(-1)?.model).toBe(MODEL);
      expect(provider.requests).toHaveLength(at + 1);
    }
  });
