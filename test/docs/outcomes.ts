import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { conditionsOf, selfTestKeyOf } from "../../src/comparison/planning/comparison.ts";
import { loadScenarioFile } from "../../src/comparison/scenario/load-scenario.ts";
import type { Verdict } from "../../src/domain/verdict.ts";
import { EXAMPLES } from "../../src/doors/endpoint/examples.ts";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { runOnce, testServices } from "../harness.ts";
import { temporaryDirectory } from "../temporary.ts";

const WORKS = '{calls: [{write_file: {path: reply.md, content: "R-1042\\n"}}]}';
const GREETS = "{calls: [{write_file: {path: reply.md, content: Hello}}]}";
const TALKS = "{say: I would write a reply.}";

const scenarioText = (arms: readonly string[]) => `
name: reply
task:
  prompt: Write the reply.
  probe:
    checks:
      - {id: case-number, run: grep -q R-1042 reply.md, required: true, weight: 3}
      - {id: greeting, run: grep -q Hello reply.md}
arms:
${arms.join("\n")}
rubric:
  criteria: [{id: kind, question: Is it kind?}, {id: checks, measure: probe_score}]
  judge: {model: builtin/evidence}
`;

const armText = (id: string, prompt: string, call: string) =>
  `  - {id: ${id}, model: scripted/${id}, system_prompt: ${prompt}, script: [${call}, {say: Done.}]}`;

/** The situations of the table in docs/ci.md, by its words. */
const SCRIPTS = {
  "candidate won": [TALKS, WORKS],
  tie: [WORKS, WORKS],
  "neither passes the check": [TALKS, GREETS],
  "baseline won": [WORKS, TALKS],
  "judge unusable": [WORKS, WORKS],
  "judge failed its self-test": [TALKS, WORKS],
} as const;

const JUDGE = "gateway/judge";

/** A real verdict for each situation. @param first the arm that stands first in the scenario */
export async function verdictsByOutcome(first: "baseline" | "candidate"): Promise<ReadonlyMap<string, Verdict>> {
  using directory = temporaryDirectory();
  await using provider = await startFakeProvider({ reply: { text: "Both are nice." } });
  const services = testServices(provider.environment);
  const file = join(directory.path, "reply.yaml");
  const verdicts = new Map<string, Verdict>();
  for (const [name, [baseline, candidate]] of Object.entries(SCRIPTS)) {
    const arms = [armText("baseline", "Old.", baseline), armText("candidate", "New.", candidate)];
    writeFileSync(file, scenarioText(first === "baseline" ? arms : arms.reverse()));
    const loaded = await loadScenarioFile(file);
    if (name === "judge failed its self-test")
      await services.store.self_tests.keep(selfTestKeyOf(conditionsOf(loaded.definition, JUDGE)) ?? "", {
        ...EXAMPLES.self_test,
        verdict: "fail",
      });
    const judge = name.startsWith("judge ") ? { judge_model: JUDGE } : {};
    const { outcome } = await runOnce(services, loaded, { ...judge, single: true });
    if (outcome.verdict) verdicts.set(name, outcome.verdict);
  }
  return verdicts;
}
