import { expect, test } from "bun:test";
import { loadPriceList } from "../../src/comparison/scenario/parse-scenario.ts";
import { failureOf, scenarioFolder } from "./scenario-folder.ts";

const loaded = async (text: string) => {
  await using folder = await scenarioFolder({ "prices.yaml": text });
  return await loadPriceList(folder.path("prices.yaml"));
};

const refusal = async (text: string) => {
  await using folder = await scenarioFolder({ "prices.yaml": text });
  const { code, message } = await failureOf(loadPriceList(folder.path("prices.yaml")));
  expect(code).toBe("invalid_request");
  return message.replaceAll(folder.path("prices.yaml"), "prices.yaml");
};

test("a price list is read, and names of providers are not case-sensitive", async () => {
  const prices = await loaded(
    "OpenAI/gpt-X: {in: 3, out: 15, cached_in: 0.3}\ngateway/meta/llama: {in: 0, out: 0.5}\n",
  );
  expect(Object.fromEntries(prices)).toEqual({
    "openai/gpt-X": { in: 3, out: 15, cached_in: 0.3 },
    "gateway/meta/llama": { in: 0, out: 0.5, cached_in: null },
  });
});

const BAD: readonly (readonly [what: string, text: string, said: string])[] = [
  ["an empty file", "", "prices.yaml:1:1 the file is empty; expected a map from <provider>/<model> to its price"],
  ["a list", "- openai/x", "prices.yaml:1:1 expected a map from <provider>/<model> to its price"],
  ["no YAML", "openai/x: {in: 1", "prices.yaml:1:"],
  ["a missing price", "openai/x: {in: 1}", 'prices.yaml:1:11 ["openai/x"].out: missing; expected a number'],
  ["a misspelt one", "openai/x: {in: 1, out: 2, cachedin: 1}", 'unknown key; did you mean "cached_in"?'],
  ["a price below 0", "openai/x: {in: -1, out: 2}", "expected a number from 0 to 1000000, got -1"],
  ["a price in words", "openai/x: {in: cheap, out: 2}", 'expected a number from 0 to 1000000, got "cheap"'],
  ["a model without its provider", "gpt-x: {in: 1, out: 2}", "gpt-x: unknown key; expected <provider>/<model>"],
  [
    "a provider in two cases",
    "openai/x: {in: 1, out: 2}\nOpenAI/x: {in: 2, out: 2}",
    'prices.yaml:2:1 ["OpenAI/x"]: is given twice',
  ],
];

test.each(BAD)("%s is refused with its place", async (_what, text, said) => {
  expect(await refusal(text)).toContain(said);
});

test("a missing price list and a directory in its place are named", async () => {
  await using folder = await scenarioFolder({ "in/prices.yaml": "" });
  expect((await failureOf(loadPriceList(folder.path("none.yaml")))).message).toEndWith(
    "none.yaml: the file does not exist",
  );
  expect((await failureOf(loadPriceList(folder.path("in")))).message).toEndWith("in: the file is not a regular file");
});
