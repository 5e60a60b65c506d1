import { existsSync } from "node:fs";
import { lstat, readdir, readFile, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { byField, loadScenarioFile } from "../../comparison/scenario/load-scenario.ts";
import { comparisonText, writeWhole } from "../../comparison/scenario/make-scenario.ts";
import type { ComparisonRequest } from "../../domain/comparison.ts";
import { SCENARIO_FILE_BYTES } from "../../domain/defaults.ts";
import { errorCode, Failure, wordsOf } from "../../domain/failure.ts";
import type { Services } from "./operation.ts";

/** Scenarios that callers may make in a day: who makes more has a program that writes files. */
const MOST_A_DAY = 200;
const DAY_MS = 24 * 3_600_000;

/** A scenario that was made, by its name in the catalog. */
interface KeptComparison {
  readonly name: string;
  /** As the user named its directory. */
  readonly file: string;
  /** Whether it was not there before. */
  readonly is_new: boolean;
}

/**
 * The scenario of a comparison in the directory of scenarios, as `mcp-<name>.yaml`. Nothing is overwritten; the same comparison is
 * the same file.
 * @throws Failure `invalid_request`, or `invalid_scenario` for what is wrong in the comparison; then nothing was written
 */
export async function keepComparison(
  { catalog, clock }: Pick<Services, "catalog" | "clock">,
  given: ComparisonRequest,
): Promise<KeptComparison> {
  const bytes = Buffer.byteLength(JSON.stringify(given));
  if (bytes > SCENARIO_FILE_BYTES) throw tooLarge(bytes);
  const name = given.name.startsWith("mcp-") ? given.name : `mcp-${given.name}`;
  const text = comparisonText({ ...given, name }, null);
  const file = join(catalog.directory, `${name}.yaml`);
  if (existsSync(join(catalog.directory, name))) throw taken(name);
  if (existsSync(file)) {
    if ((await readFile(file, "utf8").catch(() => "")) === text) return { name, file, is_new: false };
    throw taken(name);
  }
  await demandRoom(catalog.directory, clock.now().getTime());
  const directory = resolve(catalog.directory);
  const target = { file, name, directory, material: join(directory, name) };
  try {
    await writeWhole(target, async (staging) => {
      const written = join(staging, basename(file));
      await writeFile(written, text);
      await loadScenarioFile(written);
    });
  } catch (error) {
    if (errorCode(error) === "EEXIST") throw taken(name);
    throw error instanceof Failure ? asRequest(error) : unwritten(file, error);
  }
  return { name, file, is_new: true };
}

/** Errors of a scenario name lines of a file that nobody has seen. */
const asRequest = (failure: Failure) =>
  failure.code === "invalid_scenario" ? new Failure("invalid_request", byField(failure).message) : failure;

const taken = (name: string) =>
  new Failure("invalid_request", `name: there is a scenario ${name} that says something else; choose another name`);

const tooLarge = (bytes: number) =>
  new Failure(
    "invalid_request",
    `comparison: has ${Math.ceil(bytes / 1024)} KiB, more than ${SCENARIO_FILE_BYTES / 1024} KiB; write a scenario with a table beside it`,
  );

const unwritten = (file: string, error: unknown) =>
  new Failure("invalid_request", `${file} cannot be written: ${wordsOf(error)}`, { cause: error });

/** @throws Failure `invalid_request` */
async function demandRoom(directory: string, now: number): Promise<void> {
  const names = (await readdir(directory).catch(() => [])).filter((one) => /^mcp-.*\.yaml$/.test(one));
  // One that is gone by now, or a link to nothing, was not made today.
  const times = names.map(async (one) => (await lstat(join(directory, one)).catch(() => null))?.mtimeMs ?? 0);
  const ages = (await Promise.all(times)).map((made) => now - made);
  if (ages.filter((age) => age < DAY_MS).length < MOST_A_DAY) return;
  throw new Failure(
    "invalid_request",
    `${MOST_A_DAY} scenarios were made here in a day; delete what is not needed, or write a scenario with rows`,
  );
}
