import { renameSync, rmSync, writeFileSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { readText } from "../../../comparison/scenario/read-text.ts";
import { Unusable } from "../../../comparison/scenario/unusable.ts";
import { asCount, asRecord, asRecords, asText, dig, parseJson } from "../../../domain/lenient.ts";
import { UsageError } from "../flags/parse-arguments.ts";
import type { Conversion, MadeTask, RefusedTask, TaskResult } from "./conversion.ts";

const FILE = "conversion.json";

/** Bytes of a table that is read again: 10,000 reasons have some 10 MB. */
const TABLE_BYTES = 64e6;

/** The table is written again when it has grown by this part, so that all writes cost as much as a few of the last. */
const WRITTEN_AGAIN = 1 / 50;

/** The tasks that were tried before; none where the directory is absent or empty. @throws UsageError for any other directory */
export async function triedBefore(directory: string, from: string): Promise<readonly TaskResult[]> {
  const stats = await stat(directory).catch(() => null);
  if (stats === null) return [];
  if (!stats.isDirectory())
    throw new UsageError(`--new ${directory}: is a file; name a new directory, or a scenario file that ends in .yaml`);
  const names = await readdir(directory);
  if (names.length === 0) return [];
  const table = names.includes(FILE) ? await tableIn(directory) : undefined;
  const unfinished = asRecord(table?.["unfinished"]);
  if (unfinished === undefined)
    throw new UsageError(`--new ${directory}: the directory exists and is not empty, and nothing is overwritten`);
  const earlier = asText(unfinished["from"]);
  if (earlier !== from || asCount(unfinished["waiting"]) === null)
    throw new UsageError(
      `--new ${directory}: holds a part of ${earlier ?? "another set"}; continue with --from ${earlier ?? "it"}, or name another directory`,
    );
  return [...asRecords(table?.["made"]).flatMap(madeTask), ...asRecords(table?.["refused"]).flatMap(refusedTask)];
}

async function tableIn(directory: string) {
  try {
    return asRecord(parseJson(await readText(join(directory, FILE), TABLE_BYTES)));
  } catch (error) {
    if (error instanceof Unusable) return undefined;
    throw error;
  }
}

function madeTask(given: unknown): MadeTask[] {
  const [task, scenario, reference] = ["task", "scenario", "reference"].map((key) => asText(dig(given, key)));
  if (task === undefined || scenario === undefined) return [];
  const image = asText(dig(given, "image"));
  return [
    { task, scenario, reference: reference === "passed" ? "passed" : "none", ...(image !== undefined && { image }) },
  ];
}

function refusedTask(given: unknown): RefusedTask[] {
  const [task, reason] = ["task", "reason"].map((key) => asText(dig(given, key)));
  return task === undefined || reason === undefined ? [] : [{ task, reason }];
}

interface KeptSet {
  /** Exists. */
  readonly directory: string;
  readonly from: string;
  readonly tasks: readonly { readonly task: string }[];
  readonly before: readonly TaskResult[];
}

/** The table of a set while its tasks are tried. It stands in the directory all the time, so that whoever is stopped can go on. */
export class KeptConversion {
  readonly #set: KeptSet;
  readonly #results: (TaskResult | undefined)[];
  #unwritten = 0;

  constructor(set: KeptSet) {
    this.#set = set;
    const before = Map.groupBy(set.before, ({ task }) => task);
    this.#results = set.tasks.map(({ task }) => before.get(task)?.shift());
  }

  /** The tasks that nobody tried yet, by their places. */
  get waiting(): readonly number[] {
    return this.#results.flatMap((result, index) => (result === undefined ? [index] : []));
  }

  get conversion(): Conversion {
    const results = this.#results.filter((result) => result !== undefined);
    const waiting = this.#results.length - results.length;
    return {
      made: results.filter((result) => "scenario" in result),
      refused: results.filter((result) => "reason" in result),
      ...(waiting > 0 && { unfinished: { from: this.#set.from, waiting } }),
    };
  }

  add(index: number, result: TaskResult): void {
    this.#results[index] = result;
    this.#unwritten += 1;
    if (this.#unwritten >= (this.#results.length - this.waiting.length) * WRITTEN_AGAIN) this.write();
  }

  /** It is whole at any time. */
  write(): void {
    const path = join(this.#set.directory, FILE);
    writeFileSync(`${path}.tmp`, `${JSON.stringify(this.conversion, null, 2)}\n`);
    renameSync(`${path}.tmp`, path);
    this.#unwritten = 0;
  }

  remove(): void {
    rmSync(join(this.#set.directory, FILE), { force: true });
  }
}
