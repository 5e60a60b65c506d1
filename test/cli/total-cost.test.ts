import { expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionOutcome } from "../../src/domain/session.ts";
import { abeval } from "../abeval.ts";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { temporaryDirectory } from "../temporary.ts";

const SCENARIO = `name: priced
task: {prompt: Say hello.}
arms:
  - {id: one, model: openai/m, system_prompt: One.}
  - {id: two, model: openai/m, system_prompt: Two.}
rubric: {criteria: [{question: Was it kind?}], judge: {model: openai/judge}}
`;

/** USD per million tokens. */
const PRICES = `openai/m: {in: 1000, out: 10000, cached_in: 100}
openai/judge: {in: 2000, out: 20000}
`;

test("a judged run has a total cost: both arms and the judge, each by its own price", async () => {
  await using provider = await startFakeProvider({
    reply: { text: "Hello.", usage: { in: 100, out: 10, cached: 40 } },
  });
  using directory = temporaryDirectory();
  const path = (name: string) => join(directory.path, name);
  writeFileSync(path("priced.yaml"), SCENARIO);
  writeFileSync(path("prices.yaml"), PRICES);
  const args = ["run", path("priced.yaml"), "--prices", path("prices.yaml"), "--sandbox", "none"];
  const { stderr } = await abeval([...args, "--state-dir", path("state")], { env: provider.environment });
  const [copy] = readdirSync(path("state/sessions"));
  const { arms, verdict, totals } = JSON.parse(readFileSync(path(`state/sessions/${copy}`), "utf8")) as SessionOutcome;
  const arm_usd = (60 * 1_000 + 40 * 100 + 10 * 10_000) / 1e6;
  // The answer is no judgement: each order is asked three times.
  const judge_usd = (6 * (100 * 2_000 + 10 * 20_000)) / 1e6;
  expect(arms.map(({ cost_usd }) => cost_usd)).toEqual([expect.closeTo(arm_usd, 9), expect.closeTo(arm_usd, 9)]);
  expect(verdict?.usage).toMatchObject({ tokens_in: 600, tokens_out: 60, cost_usd: expect.closeTo(judge_usd, 9) });
  expect(totals.cost_usd).toBeCloseTo(2 * arm_usd + judge_usd, 9);
  expect(stderr).toContain(`total $${(2 * arm_usd + judge_usd).toFixed(4)}`);
});
