import { expect, test } from "bun:test";
import { Credentials } from "../../src/arms/model/credentials.ts";
import { wireOf } from "../../src/arms/recipe/recipes.ts";
import { prepareSession } from "../../src/comparison/planning/prepare-session.ts";
import { loadScenarioFile } from "../../src/comparison/scenario/load-scenario.ts";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { runOnce, testServices } from "../harness.ts";
import { SANDBOX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { failureOf, scenarioFolder } from "../scenario/scenario-folder.ts";

const ASK = `const url = process.env.ANTHROPIC_BASE_URL + "/v1/messages";
const headers = { "content-type": "application/json", "x-api-key": process.env.ANTHROPIC_API_KEY };
const body = JSON.stringify({ model: "m", max_tokens: 9, messages: [{ role: "user", content: process.argv[2] }] });
console.log(await (await fetch(url, { method: "POST", headers, body })).text());`;

const agent = {
  command: ["bun", "/home/agent/ask.mjs", "{prompt}"],
  files: { files: { "ask.mjs": ASK } },
  wires: ["anthropic"],
};

/** Two providers, each of which speaks Anthropic's messages at an address of its own. */
async function loaded() {
  const arms = [
    { id: "one", model: "acme/m", agent },
    { id: "two", extends: "one", model: "deepseek/m" },
  ];
  const rubric = { criteria: [{ measure: "turns" }], judge: { model: "builtin/evidence" } };
  const scenario = { name: "two", varies: ["model"], task: { prompt: "Say it." }, arms, rubric };
  await using folder = await scenarioFolder({ "two.yaml": JSON.stringify(scenario) });
  return await loadScenarioFile(folder.path("two.yaml"));
}

testNeeding(SANDBOX)("an agent that speaks Anthropic's messages is compared on two other providers", async () => {
  await using server = await startFakeProvider({ reply: () => ({ text: "Said." }) });
  const base = server.environment["ANTHROPIC_BASE_URL"] ?? "";
  const services = testServices({
    ...{ ACME_ANTHROPIC_BASE_URL: base, ACME_API_KEY: "key-of-acme-0123456789" },
    ...{ DEEPSEEK_ANTHROPIC_BASE_URL: base, DEEPSEEK_API_KEY: "key-of-deepseek-0123456789" },
  });
  const { outcome } = await runOnce(services, await loaded());
  expect(outcome.failure).toBeNull();
  expect(outcome.arms.map(({ final_answer }) => final_answer)).toEqual(["Said.", "Said."]);
  expect(server.requests.map(({ wire }) => wire)).toEqual(["anthropic", "anthropic"]);
  const keys = server.requests.map(({ headers }) => headers["x-api-key"]).toSorted();
  expect(keys).toEqual(["key-of-acme-0123456789", "key-of-deepseek-0123456789"]);
});

test("without the second address the run is refused with the variable's name", async () => {
  const services = testServices({ ACME_BASE_URL: "http://127.0.0.1:1/v1", DEEPSEEK_API_KEY: "k-0123456789abcdef" });
  const { message } = await failureOf(prepareSession(services, await loaded(), {}));
  expect(message).toContain("ACME_ANTHROPIC_BASE_URL");
  expect(message).toContain("DEEPSEEK_ANTHROPIC_BASE_URL");
});

test("an agent that speaks both keeps to OpenAI's, and a second address is no provider of its own", () => {
  const both = { use: "pi", command: null, wires: ["anthropic", "responses"] } as const;
  expect(wireOf({ ...both, wires: [...both.wires] }, "acme/m")).toBe("responses");
  const environment = { ACME_BASE_URL: "http://a/v1", ACME_ANTHROPIC_BASE_URL: "http://a" };
  const names = new Credentials(environment).endpoints().map(({ provider }) => provider);
  expect(names).toContain("acme");
  expect(names).not.toContain("acme_anthropic");
});
