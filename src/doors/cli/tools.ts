import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { isListedFile } from "../../comparison/scenario/load-scenario.ts";
import { refuseShortage } from "../../domain/shortage.ts";
import { exitCodeOfCommand } from "./exit-code.ts";
import { configuredArguments } from "./flags/configured.ts";
import { type ParsedArguments, UsageError } from "./flags/parse-arguments.ts";
import type { RunArguments, RunFlag } from "./flags/run-flags.ts";
import { RUN_TOOLS, type RunTool, toolSpec } from "./flags/tool-flags.ts";

/** What each does: it returns the exit status. */
const STARTS: Readonly<Record<RunTool, (args: RunArguments) => Promise<number>>> = {
  check: async (args) => await (await import("./check-scenarios.ts")).checkScenarios(args),
  new: async (args) =>
    args.value("from") === undefined && !args.has("new")
      ? await (await import("./new/new-comparison.ts")).newComparison(args)
      : await (await import("./new-scenario.ts")).newScenario(args),
  results: async (args) => await (await import("./compare-results.ts")).compareResults(args),
  bless: async (args) => await (await import("./bless.ts")).blessSeries(args),
  "judge-test": async (args) => await (await import("./self-test.ts")).selfTestScenarios(args),
};

/** `abeval check` and its like. */
export const toolCommand = (name: RunTool) => ({
  command: async (args: readonly string[]): Promise<number> => {
    const spec = toolSpec(name);
    return await exitCodeOfCommand(spec.name, async () => await startTool(name, await configuredArguments(spec, args)));
  },
});

/** What `abeval run` does where a flag names a tool: the older spelling. Undefined where none does. */
export function toolIn(args: ParsedArguments<RunFlag>): Promise<number> | undefined {
  const name = (Object.keys(RUN_TOOLS) as RunTool[]).find((one) => args.has(RUN_TOOLS[one].mode));
  return name === undefined ? undefined : startTool(name, args);
}

async function startTool(name: RunTool, args: ParsedArguments<RunFlag>): Promise<number> {
  return await STARTS[name](RUN_TOOLS[name].parameter === "scenario_file" ? await withFiles(args) : args);
}

/** What names directories, by the scenario files in them. @throws UsageError for a directory without one */
export const withFiles = async (args: ParsedArguments<RunFlag>): Promise<RunArguments> => ({
  ...args,
  parameters: (await Promise.all(args.parameters.map(filesIn))).flat(),
  named: args.parameters,
});

async function filesIn(word: string): Promise<readonly string[]> {
  const isDirectory = await stat(word).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  if (!isDirectory) return [word];
  const names = await readdir(word).catch((error: unknown) => refuseShortage(error) ?? []);
  const files = names.filter(isListedFile);
  if (files.length === 0) throw new UsageError(`${word}: the directory has no scenario files, which end in .yaml`);
  return files.sort().map((name) => join(word, name));
}
