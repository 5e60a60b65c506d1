import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ScriptTurn } from "../src/domain/arm.ts";
import type { SeenRequest } from "../test/fake-provider/exchange.ts";
import { type FakeProvider, startFakeProvider } from "../test/fake-provider/fake-provider.ts";
import { playScript } from "../test/fake-provider/play-script.ts";
import { type slotsOf, wellFormed } from "../test/judge/mock-judge.ts";

/** What the fake provider answers both arms of `asked`. */
const SCRIPT: readonly ScriptTurn[] = [
  { say: "I look around.", calls: [{ list_files: {} }], delay_ms: 15 },
  { calls: [{ write_file: { path: "hello.txt", content: "Hello." } }], delay_ms: 15 },
  { calls: [{ run_command: { command: "cat hello.txt" } }], delay_ms: 15 },
  { say: "Hello is written.", delay_ms: 15 },
];

const turn = (call: string) => `{calls: [${call}], delay_ms: 10}`;
const WORKING = [
  turn("{list_files: {}}"),
  turn("{write_file: {path: a.txt, content: one}}"),
  turn('{run_command: {command: "sleep 0.02; cat a.txt"}}'),
  turn("{edit_file: {path: a.txt, old_text: one, new_text: two}}"),
  "{say: Done., delay_ms: 10}",
].join(", ");

const MEASURED = "rubric: {criteria: [{id: turns, measure: turns}], judge: {model: builtin/evidence}}";

/** The scenarios of a load, the shortest first. */
export const LOADS = ["scripted", "asked", "sleeping"] as const;
export type Load = (typeof LOADS)[number];

/**
 * Writes three short scenarios: arms with scripts, arms and a judge at a provider, and an arm that waits in a command with
 * `marker` in its command line.
 */
export function writeLoads(directory: string, marker: string): string {
  const path = join(directory, "scenarios");
  mkdirSync(path, { recursive: true });
  const texts: Readonly<Record<Load, string>> = {
    scripted: `
name: scripted
task: {prompt: Work., probe: {checks: [{id: there, run: test -f a.txt}]}}
arms:
  - {id: left, model: scripted/left, system_prompt: Left., script: [${WORKING}]}
  - {id: right, model: scripted/right, system_prompt: Right., script: [${WORKING}, {say: Unused.}]}
${MEASURED}
`,
    asked: `
name: asked
task: {prompt: Say hello in a file.}
arms:
  - {id: left, model: openai/m, system_prompt: Left.}
  - {id: right, model: openai/m, system_prompt: Right.}
rubric: {criteria: [{id: polite, question: Is it polite?}], judge: {model: openai/judge}}
`,
    sleeping: `
name: sleeping
task: {prompt: Wait.}
arms:
  - {id: left, model: scripted/left, system_prompt: Left., script: [${turn(`{run_command: {command: "sleep 20.${marker}"}}`)}]}
  - {id: right, model: scripted/right, system_prompt: Right., script: [{say: Done.}]}
${MEASURED}
`,
  };
  for (const name of LOADS) writeFileSync(join(path, `${name}.yaml`), texts[name]);
  return path;
}

/** A provider that plays the arms and the judge of `asked`. */
export const loadProvider = (): Promise<FakeProvider> => startFakeProvider({ reply: playLoad });

export const playLoad = playScript({
  scriptOf: ({ model }) => (model === "judge" ? undefined : SCRIPT),
  judge: judgement,
  delays: true,
});

function judgement(seen: SeenRequest) {
  const request = seen as unknown as Parameters<typeof slotsOf>[0]; // what is read of it, system and messages, both have
  return wellFormed(request, () => ({ polite: 3 }));
}
