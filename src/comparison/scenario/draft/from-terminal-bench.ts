import { basename, join } from "node:path";
import { asRecord, asText } from "../../../domain/lenient.ts";
import { plainText } from "../../../domain/plain-text.ts";
import type { Draft } from "../draft-scenario.ts";
import { Unusable } from "../unusable.ts";
import { budgetOf } from "./budget.ts";
import { containerOf, whereToWork, workspaceOf } from "./container-task.ts";
import { MODEL_KEY, SOLUTION, SOLUTION_S, timeoutOf, within } from "./from-harbor.ts";
import { type SourceFile, taskFiles, textIfThere, textOf, yamlOf } from "./material.ts";
import type { TaskImages } from "./task-images.ts";
import { offlineScript } from "./test-script.ts";

export const TERMINAL_BENCH_MARKER = "task.yaml";

/** A task in the first form of Terminal-Bench: `task.yaml`, a Dockerfile, `run-tests.sh`, `tests/`, `solution.sh`. @throws Unusable */
export async function draftFromTerminalBench(directory: string, name: string, images?: TaskImages): Promise<Draft> {
  const files = await taskFiles(directory);
  const config = await yamlOf(directory, TERMINAL_BENCH_MARKER);
  await demandOneService(directory, files);
  const instruction = asText(config["instruction"])?.trim();
  if (!instruction) throw new Unusable("has no instruction");
  const script = offlineScript(await textOf(directory, "run-tests.sh"));
  const tests = within(files, "tests");
  const texts = [script.text];
  for (const { path } of tests.filter(({ path }) => /\.(py|sh)$/.test(path)))
    texts.push(await textOf(join(directory, "tests"), path));
  if (texts.some((text) => MODEL_KEY.test(text))) throw new Unusable("has tests that ask a model over the network");
  const container = containerOf({
    dockerfile: await textOf(directory, "Dockerfile"),
    context: files.filter(({ path }) => !OWN.test(path)),
    tests,
    texts: [...texts, instruction],
    python: script.python,
    called: [basename(directory), name],
    images,
  });
  const { enter, material, workdir: _, ...placed } = container;
  const at = workspaceOf(container);
  const solution = await textIfThere(directory, files, "solution.sh");
  return {
    ...placed,
    name,
    title: name,
    origin: `the task ${basename(directory)}`,
    form: "terminal-bench",
    prompt: `${plainText(instruction)}\n${whereToWork(container)}`,
    checks: [
      {
        file: "tests",
        run: `${enter} && bash ${at}/.abeval/run-tests.sh`,
        ...timeoutOf(config["max_test_timeout_sec"]),
      },
    ],
    reference:
      solution === undefined
        ? null
        : {
            kind: "script",
            run: `bash ${SOLUTION}/solution.sh`,
            files: { [`${SOLUTION}/solution.sh`]: solution },
            timeout_s: SOLUTION_S,
          },
    protected: [],
    named: [],
    ...budgetOf(config["max_agent_timeout_sec"]),
    questions: [],
    material: [...material, { path: "probe/.abeval/run-tests.sh", text: script.text }],
  };
}

/** What a Dockerfile must not copy to where an arm sees it. */
const OWN = /^(task\.yaml|Dockerfile|docker-compose\.ya?ml|run-tests\.sh|solution\.(sh|yaml))$|^tests\//;

async function demandOneService(directory: string, files: readonly SourceFile[]): Promise<void> {
  const compose = files.find(({ path }) => /^docker-compose\.ya?ml$/.test(path));
  if (compose === undefined) return;
  const services = asRecord((await yamlOf(directory, compose.path))["services"]) ?? {};
  if (Object.keys(services).length > 1) throw new Unusable("needs several containers");
}
