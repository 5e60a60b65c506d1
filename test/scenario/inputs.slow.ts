import { expect, test } from "bun:test";
import { parseScenario } from "../../src/comparison/scenario/parse-scenario.ts";
import { orThrow } from "../../src/domain/failure.ts";
import { cpuRatio, LINEAR } from "../cpu-ratio.ts";

const scenario = (rows: string) => `name: tone
inputs: [${rows}]
task:
  prompt: "Answer: {{question}}"
  fixture: {files: {a.txt: "{{question}} {{{{ }}"}}
  probe:
    checks:
      - {id: has, answer_contains: ["{{wanted}}"]}
      - {id: form, answer_matches: "/^{{wanted}}$/"}
arms:
  - {id: plain, model: openai/gpt-x, system_prompt: "You know {{wanted}}."}
  - {id: warm, extends: plain, params: {temperature: 1}}
rubric: {criteria: [{question: Is it right?}], judge: {model: openai/judge}}
`;

test("filling the rows takes longer with their number, not with its square", async () => {
  const rows = (n: number) => Array.from({ length: n }, (_, at) => `{question: q${at}, wanted: w}`).join(", ");
  const input = (n: number) => ({ text: scenario(rows(n)), file: "tone.yaml", stem: "tone", directory: "/nowhere" });
  const read = async (source: ReturnType<typeof input>) => {
    const { rows: found = [], fill } = await parseScenario(source);
    expect(found.length).toBeGreaterThan(0);
    for (const row of found) orThrow(await fill(row));
  };
  expect(await cpuRatio({ n: 200, input, read })).toBeLessThan(LINEAR);
});
