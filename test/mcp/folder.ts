import { randomInt } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../temporary.ts";

const RUBRIC = "rubric: {criteria: [{measure: probe_score}, {measure: turns}], judge: {model: builtin/evidence}}";

/** Two scripted arms; the first leaves the file that the hidden check wants. */
const quick = (name: string) => `name: ${name}
title: Scenario ${name}
tags: [quick]
task: {prompt: Say hello in a file., probe: {checks: [{id: greeted, run: test -f hello.txt, required: true}]}}
arms:
  - id: does
    model: scripted/does
    system_prompt: Do it.
    script: [{calls: [{write_file: {path: hello.txt, content: hi}}]}, {say: Done.}]
  - id: talks
    model: scripted/talks
    system_prompt: Talk about it.
    script: [{say: I would.}]
${RUBRIC}
`;

/** Everything that would give its solution away holds the word CANARY. */
const HIDDEN = `name: hidden
title: A scenario with secrets
task:
  prompt: Fix it.
  fixture: {files: {a.txt: "one\\n"}}
  probe:
    files: {check.sh: "grep CANARY-FILE a.txt"}
    checks: [{id: canary-check, run: "grep CANARY-RUN a.txt; cat check.sh", output_matches: CANARY-MATCH}]
  reference_fix: {files: {a.txt: "CANARY-FIX\\n"}}
arms:
  - {id: one, model: scripted/one, system_prompt: Be one., script: [{say: CANARY-SCRIPT}]}
  - {id: two, model: scripted/two, system_prompt: Be two., scripts: [{weight: 1, turns: [{say: CANARY-WEIGHTED}]}]}
${RUBRIC}
`;

/** No two alike on the machine, so that they can be looked for among its processes. */
const sleepCommand = () => `sleep 5400.${randomInt(1e9)}`;

const slow = (command: string) => `name: slow
task: {prompt: Wait.}
arms:
  - {id: sleeps, model: scripted/sleeps, script: [{say: I wait., calls: [{run_command: {command: ${command}}}]}, {say: Awake.}]}
  - {id: rests, model: scripted/rests, system_prompt: Rest., script: [{delay_ms: 60000, calls: [{list_files: {}}]}, {delay_ms: 60000, say: Rested.}]}
rubric: {criteria: [{measure: turns}], judge: {model: builtin/evidence}}
`;

export interface McpFolder extends Disposable {
  readonly scenarios: string;
  readonly state: string;
  /** Arguments of a server with all seven tools. */
  readonly args: readonly string[];
  /** Processes that the slow scenario's command left or still has. */
  sleepers(): readonly string[];
}

/** Scenarios `quick`, `other`, `hidden` and `slow`, one that is broken, and room for sessions. */
export function mcpFolder(): McpFolder {
  const directory = temporaryDirectory();
  const scenarios = join(directory.path, "scenarios");
  const state = join(directory.path, "state");
  mkdirSync(scenarios);
  const command = sleepCommand();
  const texts = {
    quick: quick("quick"),
    other: quick("other"),
    hidden: HIDDEN,
    slow: slow(command),
    broken: "name: broken\n",
  };
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(scenarios, `${name}.yaml`), text);
  const args = ["mcp", "--scenarios-dir", scenarios, "--state-dir", state];
  return {
    scenarios,
    state,
    args,
    sleepers: () => processesWith(command),
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

/** Ids of the processes whose command line holds the text. */
function processesWith(text: string): readonly string[] {
  const ids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return ids.filter((id) => commandLine(id).includes(text));
}

function commandLine(id: string): string {
  try {
    return readFileSync(`/proc/${id}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}
