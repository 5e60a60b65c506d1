import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** Writes a scenario without files and commands, to test the way to the provider. Returns its path. */
export function writeSmallScenario(directory: string): string {
  const path = join(directory, "small.yaml");
  writeFileSync(
    path,
    `name: small
task: {prompt: Say hello.}
arms:
  - {id: short, model: scripted/short, system_prompt: Be short., tools: [], script: [{say: Hi.}]}
  - {id: long, model: scripted/long, system_prompt: Be long., tools: [], script: [{say: Hello there.}]}
rubric: {criteria: [{measure: turns}], judge: {model: builtin/evidence}}
`,
  );
  return path;
}
