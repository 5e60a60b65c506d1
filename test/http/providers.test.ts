import { expect, test } from "bun:test";
import type { PriceList } from "../../src/domain/price-list.ts";
import type { Provider } from "../../src/domain/provider.ts";
import { aService } from "./service.ts";

const PRICE = { in: 1, out: 2, cached_in: null };
const PRICES: PriceList = new Map([
  ["anthropic/one", PRICE],
  ["my-gateway/a/b", PRICE],
  ["unheard-of/x", PRICE],
]);

test("which providers can be called is said, with the models that have a price, and nothing of a key", async () => {
  const environment = { ANTHROPIC_API_KEY: "sk-ant-0123456789", MY_GATEWAY_BASE_URL: "http://gateway.internal:9/v1" };
  await using service = aService({ environment, services: { prices: PRICES } });
  const response = await service.get("/api/providers");
  const text = await response.text();
  const providers = JSON.parse(text) as Provider[];
  const named = (name: string) => providers.find(({ provider }) => provider === name);
  const [able, unable] = [
    { here: true, runs: true, local: false },
    { here: false, runs: false, local: false },
  ];
  expect(named("anthropic")).toEqual({ provider: "anthropic", ...able, priced: ["anthropic/one"] });
  expect(named("openai")).toEqual({ provider: "openai", ...unable, priced: [] });
  expect(named("ollama")).toEqual({ provider: "ollama", ...able, local: true, priced: [] });
  expect(named("my_gateway")).toEqual({ provider: "my_gateway", ...able, priced: ["my-gateway/a/b"] });
  expect(named("unheard_of")).toEqual({ provider: "unheard_of", ...unable, priced: ["unheard-of/x"] });
  expect(text).not.toMatch(/0123456789|gateway\.internal/);
});
