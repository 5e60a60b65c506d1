import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { loadScenarioFile } from "../src/comparison/scenario/load-scenario.ts";
import { SCENARIO_FILE_BYTES } from "../src/domain/defaults.ts";
import { Failure } from "../src/domain/failure.ts";
import { abeval } from "../test/abeval.ts";
import { EXAMPLES, SCENARIOS } from "../test/harness.ts";
import { damaged } from "../test/scenario/damaged-scenario.ts";
import { SHORT } from "../test/scenario/scenario-folder.ts";
import { type Campaign, type Case, hold } from "./campaign.ts";
import { openCaseDirectories } from "./case-directories.ts";

const FILES = 500;
/** One file in so many is given to the program as well. */
const THROUGH_PROGRAM = 25;
const SLOWEST_MS = 1_000;

/** Damaged scenario files. Each is refused within a second, with the place of the mistake. */
export const campaign: Campaign = {
  about: `${FILES} generated bad scenario files`,
  at_once: 1,
  cases: async ({ seed, count }) => {
    const originals = [SHORT, ...bundledTexts()];
    const file = fc.oneof(...originals.map(damaged), noise);
    const texts = await badOnes(fc.sample(file, { seed, numRuns: count(FILES) * 3 }), count(FILES));
    return texts.map(fileCase);
  },
};

const bundledTexts = () =>
  [SCENARIOS, EXAMPLES].flatMap((directory) =>
    readdirSync(directory)
      .filter((name) => name.endsWith(".yaml"))
      .map((name) => readFileSync(join(directory, name), "utf8")),
  );

const noise = fc.oneof(
  fc.string({ unit: "binary", maxLength: 2_000 }),
  fc.json().map((text) => `name: ${text}`),
);

/** Leaves out files that the damage did not make bad. */
async function badOnes(texts: readonly string[], limit: number): Promise<readonly string[]> {
  const bad: string[] = [];
  using directories = openCaseDirectories();
  for (const text of texts) {
    if (bad.length === limit) break;
    const isGood = await load(directories.path, text).then(
      () => true,
      () => false,
    );
    if (!isGood) bad.push(text);
  }
  return bad;
}

async function load(directory: string, text: string) {
  const file = join(directory, "short.yaml");
  writeFileSync(file, text);
  return await loadScenarioFile(file);
}

function fileCase(text: string, index: number): Case {
  return {
    name: `scenario file ${JSON.stringify(text.slice(0, 60))}...`,
    async run() {
      using directories = openCaseDirectories();
      const began = performance.now();
      const error: unknown = await load(directories.path, text).then(
        () => "a scenario",
        (reason: unknown) => reason,
      );
      hold(performance.now() - began < SLOWEST_MS, `an answer within ${SLOWEST_MS} ms`);
      hold(
        error instanceof Failure && error.code === "invalid_scenario",
        "the refusal invalid_scenario",
        String(error),
      );
      const lines = error.message.split("\n");
      const placed = lines.every((line) => /short\.yaml(:\d+:\d+)?:? \S|^and \d+ more$/.test(line));
      hold(placed && text.length < SCENARIO_FILE_BYTES, "a place in every line", error.message);
      if (index % THROUGH_PROGRAM === 0) await checkProgram(join(directories.path, "short.yaml"), error.message);
    },
  };
}

async function checkProgram(file: string, message: string): Promise<void> {
  const { status, stdout, stderr } = await abeval(["run", file]);
  hold(status === 2 && stdout === "", "exit status 2 and an empty stdout", { status, stdout });
  hold(stderr === `abeval: ${message}\n`, "the same words from the program", stderr);
}
