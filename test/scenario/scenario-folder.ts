import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseScenario, type ScenarioText } from "../../src/comparison/scenario/parse-scenario.ts";
import { Failure, orThrow } from "../../src/domain/failure.ts";

/** A fresh directory with the given files in it, removed on disposal. */
export async function scenarioFolder(files: Readonly<Record<string, string | Uint8Array>> = {}) {
  const directory = await realpath(await mkdtemp(join(tmpdir(), "abeval-scenario-")));
  const write = async (path: string, content: string | Uint8Array) => {
    await Bun.write(join(directory, path), content);
  };
  await Promise.all(Object.entries(files).map(([path, content]) => write(path, content)));
  return {
    directory,
    write,
    path: (path: string) => join(directory, path),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}

export type ScenarioFolder = Awaited<ReturnType<typeof scenarioFolder>>;

/** Fifteen lines are enough. */
export const SHORT = `name: short
task:
  prompt: Say hello.
arms:
  - id: plain
    model: openai/gpt-x
    system_prompt: You are brief.
  - id: loud
    extends: plain
    system_prompt: You shout.
rubric:
  criteria:
    - Is it friendly?
    - Is it short?
    - measure: tokens
`;

/** The scenario that a text holds. @throws Failure `invalid_scenario` */
export const scenarioIn = async (source: ScenarioText) => orThrow((await parseScenario(source)).result);

/** The failure a promise ends with; anything else fails the test. */
export async function failureOf(promise: Promise<unknown>): Promise<Failure> {
  const error: unknown = await promise.then(
    () => new Error("it did not fail"),
    (reason: unknown) => reason,
  );
  if (error instanceof Failure) return error;
  throw error;
}
