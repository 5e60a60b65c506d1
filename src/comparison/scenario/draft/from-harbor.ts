import { basename, join } from "node:path";
import { asCount, asRecord, asText, dig, type LooseRecord } from "../../../domain/lenient.ts";
import { plainText } from "../../../domain/plain-text.ts";
import type { Draft, DraftSolution } from "../draft-scenario.ts";
import { Unusable } from "../unusable.ts";
import { budgetOf, secondsOf } from "./budget.ts";
import { containerOf, type TaskImages, whereToWork, workspaceOf } from "./container-task.ts";
import { type SourceFile, taskFiles, textIfThere, textOf, tomlOf, yamlOf } from "./material.ts";
import { LOGS_AT, TESTS_AT } from "./placed-files.ts";
import { offlineScript } from "./test-script.ts";
export const HARBOR_MARKER = "task.toml";

/** A task in Harbor's form: `instruction.md`, `environment/`, `tests/`, and `solution/` where there is one. @throws Unusable */
export async function draftFromHarbor(directory: string, name: string, images?: TaskImages): Promise<Draft> {
  const files = await taskFiles(directory);
  const config = await tomlOf(directory, HARBOR_MARKER);
  demandOneContainer(config, files);
  const instruction = (await textOf(directory, "instruction.md")).trim();
  const tests = within(files, "tests");
  const script = offlineScript(await textOf(directory, "tests/test.sh"));
  const texts = [script.text];
  for (const { path } of tests.filter(({ path }) => /\.(py|sh)$/.test(path) && path !== "test.sh"))
    texts.push(await textOf(join(directory, "tests"), path));
  if (texts.some((text) => MODEL_KEY.test(text))) throw new Unusable("has tests that ask a model over the network");
  const demanded = asText(dig(config, "environment", "docker_image"));
  const container = containerOf({
    dockerfile: demanded === undefined ? await textOf(directory, "environment/Dockerfile") : "",
    context: within(files, "environment").filter(({ path }) => path !== "Dockerfile"),
    tests: tests.filter(({ path }) => path !== "test.sh"),
    texts: [...texts, instruction],
    python: script.python,
    called: [basename(directory), name],
    ...(demanded !== undefined && { demanded }),
    images,
  });
  const { enter, material } = container;
  const reward = `${LOGS_AT}/verifier/reward.txt`;
  return {
    ...container,
    name,
    title: name,
    origin: `the task ${basename(directory)}`,
    form: "harbor",
    prompt: `${plainText(instruction)}\n${whereToWork(container)}`,
    checks: [
      {
        file: "tests",
        run: `mkdir -p ${LOGS_AT}/verifier && ${enter} && { bash ${TESTS_AT}/test.sh; grep -qE '^1(\\.0*)?$' ${reward}; }`,
        ...timeoutOf(dig(config, "verifier", "timeout_sec")),
      },
    ],
    reference: await solutionOf(directory, files, container.workdir),
    protected: [],
    named: [],
    ...budgetOf(dig(config, "agent", "timeout_sec")),
    questions: [],
    material: [...material, { path: "probe/.abeval/tests/test.sh", text: script.text }],
  };
}

/** Keys that a judging model needs. */
const MODEL_KEY = /\b(OPENAI|ANTHROPIC|GEMINI|GOOGLE|OPENROUTER)_API_KEY\b/;

/** Files below a directory, by their path in it. */
const within = (files: readonly SourceFile[], directory: string): SourceFile[] =>
  files.flatMap((file) =>
    file.path.startsWith(`${directory}/`) ? [{ ...file, path: file.path.slice(directory.length + 1) }] : [],
  );

function demandOneContainer(config: LooseRecord, files: readonly SourceFile[]): void {
  const environment = asRecord(config["environment"]) ?? {};
  if (files.some(({ path }) => /^environment\/(docker-)?compose\.ya?ml$/.test(path)))
    throw new Unusable("needs several containers");
  if (files.some(({ path }) => path.startsWith("steps/"))) throw new Unusable("goes on in several steps");
  if ((asCount(environment["gpus"]) ?? 0) > 0) throw new Unusable("needs a graphics processor");
  const servers = environment["mcp_servers"];
  if (Array.isArray(servers) && servers.length > 0) throw new Unusable("needs MCP servers of its own");
  for (const part of ["verifier", "solution"]) {
    const [variable] = Object.keys(asRecord(dig(config, part, "env")) ?? {});
    if (variable !== undefined) throw new Unusable(`sets a variable for its ${part}: ${variable}`);
  }
}

/** The time of a check, if the task says so. */
function timeoutOf(value: unknown): { readonly timeout_s?: number } {
  const timeout_s = secondsOf(value);
  return timeout_s === undefined ? {} : { timeout_s };
}

/** Null where the task brings none. */
async function solutionOf(
  directory: string,
  files: readonly SourceFile[],
  workdir: string,
): Promise<DraftSolution | null> {
  const script = await textIfThere(directory, files, "solution/solve.sh");
  if (script === undefined) return null;
  const texts: Record<string, string> = {};
  for (const { path } of within(files, "solution"))
    texts[`${SOLUTION}/${path}`] = (await textOf(join(directory, "solution"), path)).replaceAll(
      /(?<![\w./-])\/(solution|oracle)(?=\/)/g,
      `${workdir}/${SOLUTION}`,
    );
  return { kind: "script", run: `bash ${SOLUTION}/solve.sh`, files: texts, timeout_s: SOLUTION_S };
}

/** Where a solution lies while it runs. */
const SOLUTION = ".abeval-solution";

/** Seconds for a solution. */
const SOLUTION_S = 600;

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
