import { readdir, stat } from "node:fs/promises";
import { extname, join } from "node:path";
import { SCENARIO_ENDINGS } from "../../../comparison/scenario/load-scenario.ts";
import { UsageError } from "./arguments.ts";

/** Each directory as the scenario files directly in it, by name. @throws UsageError for one that holds none */
export async function scenarioFiles(words: readonly string[]): Promise<readonly string[]> {
  return (await Promise.all(words.map(filesIn))).flat();
}

async function filesIn(word: string): Promise<readonly string[]> {
  const isDirectory = await stat(word).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  if (!isDirectory) return [word];
  const names = await readdir(word).catch(() => []);
  const files = names.filter((name) => SCENARIO_ENDINGS.includes(extname(name)) && !name.startsWith("."));
  if (files.length === 0) throw new UsageError(`${word}: the directory has no scenario files, which end in .yaml`);
  return files.sort().map((name) => join(word, name));
}
