import { expect, test } from "bun:test";
import { join } from "node:path";
import { loadScenarioFile } from "../../src/comparison/scenario/load-scenario.ts";
import { membersOf } from "../../src/comparison/scenario/loaded-scenario.ts";
import { isAnswering } from "../../src/domain/answering.ts";
import { EXAMPLES, runOnce, testServices } from "../harness.ts";
import { PYTHON, SANDBOX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { scenarioFolder } from "../scenario/scenario-folder.ts";
import { againstScript, runText } from "./served-answer.ts";

const page = await Bun.file(join(import.meta.dir, "../../docs/endpoints.md")).text();
const block = (language: string) =>
  new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(page)?.[1] ?? expect.unreachable();

testNeeding(PYTHON)("the page's server in fifteen lines answers an arm", async () => {
  const source = block("python");
  expect(source.trim().split("\n").length).toBe(15);
  const free = Bun.serve({ port: 0, fetch: () => new Response() });
  const { port } = free;
  await free.stop(true);
  const server = Bun.spawn(["python3", "-c", source.replace("9000", String(port))], { stderr: "ignore" });
  try {
    // It is asked six times while it starts.
    const { endpoints } = testServices();
    const patient = testServices({}, { endpoints: { ...endpoints, retry_ms: 250 } });
    const url = `http://127.0.0.1:${port}/answer`;
    const { arms, failure } = await runText(againstScript(`{id: app, endpoint: {url: "${url}"}}`), patient);
    expect(failure).toBeNull();
    expect(arms[0]).toMatchObject({ final_answer: "You asked: Say something good.", cost_usd: 0.001 });
  } finally {
    server.kill();
    await server.exited;
  }
});

test("every arm that the page shows is one", async () => {
  const shown = block("yaml")
    .split("\n")
    .filter((line) => line.startsWith("  - "));
  for (const line of shown) {
    await using folder = await scenarioFolder({ "served.yaml": againstScript(line.slice(4)) });
    const { definition } = await loadScenarioFile(folder.path("served.yaml"));
    expect(isAnswering(definition.arms[0])).toBe(true);
  }
  expect(shown.length).toBe(3);
});

testNeeding(SANDBOX)("the example with programs runs, and one sorts better", async () => {
  const members = await membersOf(await loadScenarioFile(join(EXAMPLES, "own-program.yaml")));
  const winners = [];
  for (const member of members) winners.push((await runOnce(testServices(), member)).outcome.verdict?.winner);
  expect(winners).toEqual([null, null, "folded"]);
});
