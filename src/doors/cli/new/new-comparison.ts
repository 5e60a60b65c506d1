import { existsSync } from "node:fs";
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { loadScenarioFile, SCENARIO_ENDINGS } from "../../../comparison/scenario/load-scenario.ts";
import { membersOf } from "../../../comparison/scenario/loaded-scenario.ts";
import { armIds, comparisonText, type NewFile, writeWhole } from "../../../comparison/scenario/make-scenario.ts";
import { readText } from "../../../comparison/scenario/read-text.ts";
import { openTable, TABLE_BYTES, TableFault } from "../../../comparison/table/table-rows.ts";
import type { ComparisonRequest } from "../../../domain/comparison.ts";
import { cut } from "../../../domain/excerpt.ts";
import { counted } from "../../../domain/number-text.ts";
import { plainText } from "../../../domain/plain-text.ts";
import { diagnoseFile, diagnoseMachine } from "../../doctor/doctor.ts";
import { withSeries } from "../../operation/doctor.ts";
import { checkProgress, openChecking } from "../check-scenarios.ts";
import { EXIT, unlessInterrupted } from "../exit-code.ts";
import { forShell, UsageError } from "../flags/parse-arguments.ts";
import type { RunArguments } from "../flags/run-flags.ts";
import type { ComparisonFlag } from "../flags/tool-flags.ts";
import { doctorText } from "../terminal/doctor-text.ts";
import { stdoutWidth, writeStdout } from "../terminal/terminal.ts";
import { newFileAt, usable } from "./new-file.ts";

/** A comparison as it is asked for, and the file of its rows. */
interface AskedComparison {
  readonly comparison: ComparisonRequest;
  readonly rows: string | undefined;
}

/** Trials of an arm, over all rows, that a first series has at least: fewer tell little. */
const FIRST_TRIALS = 60;

/** Bytes of a prompt that a file holds. */
const PROMPT_BYTES = 256 * 1024;

/**
 * `abeval new <file> --prompts ...`: a scenario made of what the flags say, checked, with what it costs and the next command. Returns
 * the exit status. @throws UsageError; then nothing was written
 */
export async function newComparison(args: RunArguments): Promise<number> {
  const value = args.value as Values; // `abeval new` has these flags, too
  const { file, words } = namedIn(args.parameters);
  const name = basename(file, extname(file));
  const { prompts, models } = await armsBy(value, words);
  const checks = answerChecks(value("contains"), value("lacks"));
  const comparison = {
    name,
    ...(prompts && { prompts }),
    ...(models && { models }),
    ...(checks.length > 0 && { checks }),
    ...textsBy(value),
  };
  return await writeComparison(args, newFileAt(file), { comparison, rows: value("rows") });
}

type Values = (flag: ComparisonFlag | "judge-model") => string | undefined;

/** Flags take one value; what follows the first prompt or model stands among the words. @throws UsageError */
function namedIn(parameters: readonly string[]): { readonly file: string; readonly words: readonly string[] } {
  const [file, other] = parameters.filter((word) => SCENARIO_ENDINGS.includes(extname(word)));
  if (file === undefined) throw new UsageError("name the scenario file to write; it ends in .yaml");
  if (other !== undefined) throw new UsageError(`${other}: one scenario file is written, and ${file} is named too`);
  return { file, words: parameters.filter((word) => word !== file) };
}

/** @throws UsageError */
async function armsBy(value: Values, words: readonly string[]): Promise<Pick<ComparisonRequest, "prompts" | "models">> {
  const [prompts, models] = [value("prompts"), value("models")];
  const [word] = words;
  if (word === undefined && prompts === undefined && models === undefined)
    throw new UsageError("compare prompts with --prompts, or models with --models; --from makes a scenario of a task");
  if (word !== undefined && (prompts === undefined) === (models === undefined))
    throw new UsageError(
      prompts === undefined
        ? `unexpected "${cut(word)}"; compare prompts with --prompts, or models with --models`
        : `unexpected "${cut(word)}": separate several models, or prompts, with commas`,
    );
  const [more, others] = prompts === undefined ? [[], words] : [words, []];
  const refs = models === undefined ? [] : [...split(models), ...others];
  return {
    ...(prompts !== undefined && { prompts: await promptsIn([...split(prompts), ...more]) }),
    ...(refs.length > 0 && { models: byArm(refs, refs) }),
  };
}

/** @param contains a column */
export const answerChecks = (contains: string | undefined, lacks: string | undefined) => [
  ...(contains === undefined ? [] : [{ answer_contains: `{{${contains}}}`, ignore_case: true }]),
  ...(lacks === undefined ? [] : [{ answer_lacks: lacks, ignore_case: true }]),
];

function textsBy(value: Values): Pick<ComparisonRequest, "question" | "model" | "judge_model"> {
  const [question, model, judge_model] = [value("question"), value("model"), value("judge-model")];
  return {
    ...(question !== undefined && { question }),
    ...(model !== undefined && { model }),
    ...(judge_model !== undefined && { judge_model }),
  };
}

/** A file may have a comma in its name. */
const split = (list: string) => (existsSync(list) ? [list] : list.split(",").map((word) => word.trim()));

/** Arms by the names of their files or models. */
export function byArm<T>(names: readonly string[], values: readonly T[]): Record<string, T> {
  const ids = armIds(names.map((name) => basename(name).replace(/\.(md|txt|prompt)$/i, "")));
  return Object.fromEntries(ids.map((id, index) => [id, values[index] as T])); // there is one value for each
}

/** @throws UsageError */
export async function promptsIn(files: readonly string[]): Promise<Record<string, string>> {
  const texts: string[] = [];
  for (const file of files) {
    const text = (await usable(`--prompts ${file}`, () => readText(file, PROMPT_BYTES))).trim();
    if (text === "") throw new UsageError(`--prompts ${file}: is empty`);
    texts.push(text);
  }
  return byArm(files, texts);
}

/** What the asked comparison is written as; `abeval init` asks for the same. */
export async function writeComparison(args: RunArguments, target: NewFile, asked: AskedComparison): Promise<number> {
  const { file, name } = target;
  const table = asked.rows === undefined ? null : await tableAt(asked.rows, name);
  return await unlessInterrupted(async (signal) => {
    await using services = await openChecking(file, args);
    const text = comparisonText(asked.comparison, table);
    await usable(file, () =>
      writeWhole(target, async (directory) => {
        const written = join(directory, basename(file));
        if (table !== null) {
          await mkdir(join(directory, name));
          await copyFile(table.from, join(directory, table.file));
        }
        await writeFile(written, text);
        await loadScenarioFile(written);
      }),
    );
    using progress = checkProgress(!args.has("quiet"));
    const announcing = { ...services, announce: (title: string) => progress.show(file, title) };
    const environment = await diagnoseMachine(announcing, signal);
    const checked = await diagnoseFile(announcing, { path: file, environment }, signal);
    const load = () => loadScenarioFile(file);
    const rows = (await membersOf(await load())).length;
    const trials = Math.max(3, Math.ceil(FIRST_TRIALS / rows));
    const [report = checked] = await withSeries([checked], [load], { trials });
    const told = doctorText([{ file, report }], stdoutWidth());
    await writeStdout(told + plainText(nextOf(file, asked, { rows, trials })));
    return report.ok ? EXIT.done : EXIT.usage;
  });
}

/** @throws UsageError for a table that cannot be read */
async function tableAt(rows: string, name: string) {
  const ending = extname(rows).toLowerCase();
  if (ending !== ".csv" && ending !== ".jsonl") throw new UsageError(`--rows ${rows}: must end in .csv or .jsonl`);
  const text = await usable(`--rows ${rows}`, () => readText(rows, TABLE_BYTES));
  try {
    const table = await openTable(text, ending === ".csv" ? "csv" : "jsonl");
    const columns = new Set(table.header);
    for await (const { values } of table.rows) for (const column of Object.keys(values ?? {})) columns.add(column);
    if (columns.size === 0) throw new UsageError(`--rows ${rows}: has no rows`);
    return { from: rows, file: join(name, `rows${ending}`), columns: [...columns] };
  } catch (error) {
    if (error instanceof TableFault) throw new UsageError(`--rows ${rows}: line ${error.line}: ${error.message}`);
    throw error;
  }
}

function nextOf(file: string, { comparison }: AskedComparison, { rows, trials }: Record<"rows" | "trials", number>) {
  const arms = Object.keys(comparison.models ?? comparison.prompts ?? {});
  const asked = `${counted(arms.length, "arm")}, ${rows === 1 ? "one question" : `${rows} rows`}`;
  const command = `abeval run ${forShell(file)} --trials ${trials} --stop-when-sure --state-dir .abeval`;
  return `\nWritten: ${file} (${asked}: ${arms.join(", ")}). Next:\n  ${command}\n`;
}
