import { expect, test } from "bun:test";
import type { Provider } from "../../src/domain/provider.ts";
import { providersWithoutKey, suggestedModels } from "../../src/doors/web/part/model-names.ts";

const provider = (name: string, changes: Partial<Provider> = {}): Provider => ({
  ...{ provider: name, here: true, runs: true, local: false, priced: [] },
  ...changes,
});

const PROVIDERS = [
  provider("anthropic", { priced: ["anthropic/priced"] }),
  provider("openai", { here: false, runs: false, priced: ["openai/priced"] }),
  provider("groq"),
  provider("ollama", { local: true }),
  provider("my_gateway", { here: false }),
];

test("what can be called is suggested first, then what was used here", () => {
  const used = ["openai/used", "anthropic/used", "my-gateway/used", "builtin/evidence"];
  expect(suggestedModels(used, PROVIDERS, "runs")).toEqual([
    { name: "anthropic/used", able: true },
    { name: "my-gateway/used", able: true },
    { name: "builtin/evidence", able: true },
    { name: "anthropic/priced", able: true },
    { name: "groq/", able: true },
    { name: "openai/used", able: false },
  ]);
  const here = suggestedModels(used, PROVIDERS, "here");
  expect(here.filter(({ able }) => !able).map(({ name }) => name)).toEqual(["openai/used", "my-gateway/used"]);
});

test("while nothing is known of providers, what was used here is suggested as it is", () => {
  expect(suggestedModels(["b/x", "a/y"], undefined, "runs")).toEqual([
    { name: "b/x", able: true },
    { name: "a/y", able: true },
  ]);
});

test.each([
  ["anthropic/any", []],
  ["openai/any", ["openai"]],
  ["OpenAI/any", ["openai"]],
  ["nobody/any", ["nobody"]],
  ["My-Gateway/any", []],
  ["ollama/any", []],
  ["scripted/any", []],
  ["builtin/evidence", []],
  ["", []],
  ["gpt", []],
  ["anthropic/a, openai/b, nobody/c", ["openai", "nobody"]],
  ["panel(anthropic/a+openai/b+openai/c)", ["openai"]],
])("of %p these have no key: %p", (named, without) => {
  expect(providersWithoutKey(named, PROVIDERS, "runs")).toEqual(without);
});
