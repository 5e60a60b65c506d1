import { constants, existsSync } from "node:fs";
import { copyFile, mkdir, rename, rm, rmdir } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { ComparisonRequest } from "../../domain/comparison.ts";
import { ASKING, questionColumn, rubricOf } from "../../domain/comparison-parts.ts";
import { MAX_ARMS } from "../../domain/defaults.ts";
import { cut } from "../../domain/excerpt.ts";
import { Failure } from "../../domain/failure.ts";
import { systemEntropy } from "../../runtime/clock.ts";
import { type Note, withNotes } from "./draft/noted-document.ts";
import { columnsNamedIn } from "./inputs/templates.ts";
import { PLAIN_CHECK } from "./intake/plain-definition.ts";
import { assignIds, slugOf } from "./resolve/ids.ts";

/** Rows of a comparison that stand in a file beside the scenario, relative to it. */
interface TableOfRows {
  readonly file: string;
  readonly columns: readonly string[];
}

/**
 * The scenario of a comparison as text, to be checked like any file. Arms have no tools: what they answer is compared.
 * A prompt that names no column is followed by the row's own text, from the column `prompt`, `input`, `question`, `message` or `text`.
 * @param table null: its own rows, if it has some
 * @throws Failure `invalid_request` that names the field of what is missing
 */
export function comparisonText(given: ComparisonRequest, table: TableOfRows | null): string {
  const { name, question, judge_model, checks = [], rows = [] } = given;
  const columns = table?.columns ?? [...new Set(rows.flatMap((row) => Object.keys(row)))];
  if (question === undefined && checks.length === 0)
    throw refused("question", "nothing says which answer is better; give checks, a question for the judge, or both");
  for (const [index, check] of checks.entries()) demandPure(check, index);
  if (columns.length === 0) demandNoColumn(given);
  const { arms, task, varies, appended } = armsOf(given, columnsFor(given, columns));
  const scenario = {
    name,
    title: question ?? `Which of ${arms.length} ${varies}s answers better?`,
    tags: [`${varies}s`],
    varies: [varies],
    ...(columns.length > 0 && (table === null ? { inputs: rows } : { inputs_file: table.file })),
    task: {
      ...task,
      deliverable: "answer",
      ...(checks.length > 0 && { probe: { checks: checks.map((check) => ({ required: true, ...check })) } }),
    },
    arms,
    rubric: rubricOf({ question, judge_model, has_checks: given.checks !== undefined }),
  };
  return `# Made by abeval of ${arms.length} ${varies}s. It is yours: change what you like.\n${withNotes(scenario, notesOf(appended))}`;
}

/** @throws Failure `invalid_request` */
function demandNoColumn({ prompts, checks }: ComparisonRequest): void {
  const texts = [...Object.values(prompts ?? {}), ...(checks ?? []).flatMap((check) => Object.values(check))];
  const named = texts
    .flatMap((text) => (typeof text === "string" ? columnsNamedIn(text) : []))
    .find((one) => one !== "");
  if (named !== undefined) throw refused("rows", `{{${cut(named)}}} names a column, and there are no rows`);
}

/** What a check of an answer says. Whoever names a comparison may not run commands here. */
const OF_ANSWERS: ReadonlySet<string> = new Set(Object.keys(PLAIN_CHECK));

/** @throws Failure `invalid_request` */
function demandPure(check: object, index: number): void {
  const stranger = Object.keys(check).find((key) => !OF_ANSWERS.has(key));
  if (stranger !== undefined)
    throw refused(
      `checks[${index}].${stranger}`,
      `a comparison has checks of answers alone (${[...OF_ANSWERS].join(", ")}); for others write a scenario file`,
    );
}

const notesOf = (appended: string | undefined): Note[] =>
  appended === undefined
    ? []
    : [{ path: ["arms"], text: `{{${appended}}} was put behind each prompt that named no column.` }];

interface MadeArms {
  readonly arms: readonly object[];
  readonly task: object;
  readonly varies: "prompt" | "model";
  /** The column that was put behind prompts that named none. */
  readonly appended?: string | undefined;
}

interface Columns {
  readonly all: ReadonlySet<string>;
  /** The column that a row asks with, where no prompt says another. */
  readonly own: string | undefined;
}

/** What a check looks for is no question: an arm that is told it passes. */
function columnsFor({ checks = [] }: ComparisonRequest, columns: readonly string[]): Columns {
  const texts = checks.flatMap((check) => Object.values(check).flat());
  const sought = new Set(texts.flatMap((text) => (typeof text === "string" ? columnsNamedIn(text) : [])));
  const others = columns.filter((column) => column !== "id" && !sought.has(column));
  return { all: new Set(columns), own: questionColumn(others) };
}

/** @throws Failure `invalid_request` */
function armsOf(given: ComparisonRequest, columns: Columns): MadeArms {
  const models = Object.entries(given.models ?? {});
  const prompts = Object.entries(given.prompts ?? {});
  // Such keys of an object come first, whatever their order was: the control would be another one.
  const number = [...models, ...prompts].find(([arm]) => /^\d+$/.test(arm))?.[0];
  if (number !== undefined)
    throw refused(models.length > 0 ? "models" : "prompts", `"${number}" is a number; give the arm a name`);
  return models.length > 0 ? ofModels(given, { models, prompts, columns }) : ofPrompts(given, { prompts, columns });
}

interface Entries {
  readonly models: readonly (readonly [arm: string, model: string])[];
  readonly prompts: readonly (readonly [arm: string, prompt: string])[];
  readonly columns: Columns;
}

/** @throws Failure `invalid_request` */
function ofModels({ model }: ComparisonRequest, { models, prompts, columns }: Entries): MadeArms {
  demandCount("models", models.length);
  if (prompts.length > 1)
    throw refused("models", "goes with one prompt, which all are asked; compare models or prompts, not both at once");
  if (model !== undefined) throw refused("model", "goes with prompts; models are given by arm");
  const [first] = prompts;
  const prompt = first === undefined ? slot(columns.own) : asked(first[1], columns);
  return { arms: models.map(([id, ref]) => ({ id, model: ref, tools: [] })), task: { prompt }, varies: "model" };
}

/** @throws Failure `invalid_request` */
function ofPrompts({ model }: ComparisonRequest, { prompts, columns }: Omit<Entries, "models">): MadeArms {
  demandCount("prompts", prompts.length);
  if (model === undefined) throw refused("model", "which model is asked? Give it as <provider>/<model>");
  const { own } = columns;
  const texts = prompts.map(([, text]) => asked(text, columns));
  return {
    arms: prompts.map(([id], index) => ({ id, model, tools: [], prompt: texts[index] })),
    task: { question: own === undefined ? "Answer as the prompt asks." : slot(own) },
    varies: "prompt",
    ...(prompts.some(([, text], index) => text !== texts[index]) && { appended: own }),
  };
}

/** @throws Failure `invalid_request` */
function demandCount(field: "models" | "prompts", count: number): void {
  if (count >= 2 && count <= MAX_ARMS) return;
  const given = count === 0 ? "none is" : count === 1 ? "one is" : `${count} are`;
  throw refused(field, `2 to ${MAX_ARMS} are compared, and ${given} given`);
}

/** The prompt with what a row asks. @throws Failure `invalid_request` */
const asked = (text: string, { all, own }: Columns): string =>
  all.size === 0 || columnsNamedIn(text).some((name) => all.has(name)) ? text : `${text}\n\n${slot(own)}`;

/** @throws Failure `invalid_request` */
function slot(column: string | undefined): string {
  if (column !== undefined) return `{{${column}}}`;
  throw refused(
    "prompts",
    `no prompt says which column it asks; write {{column}} into it, or call the column ${ASKING.join(", ")}`,
  );
}

/** An id for each, made of its words. */
export function armIds(names: readonly string[]): string[] {
  return assignIds(
    names.map((name) => ({ given: undefined, proposed: slugOf(name, "arm").replace(/^(?=\d+$)/, "arm-") })),
  );
}

const refused = (field: string, why: string) =>
  new Failure("invalid_request", `${cut(field)}: ${why}`, { details: { field } });

/** The scenario file to write, and the directory of its material beside it. */
export interface NewFile {
  readonly file: string;
  readonly name: string;
  readonly directory: string;
  readonly material: string;
}

/**
 * Writes in a temporary directory beside the target, so that the file appears whole or not at all.
 * @throws what `write` throws, and what the file system says, as `EEXIST` for a file that is there by now; then nothing is left
 */
export async function writeWhole<T>(target: NewFile, write: (directory: string) => Promise<T>): Promise<T> {
  const made = await mkdir(target.directory, { recursive: true });
  const staging = join(target.directory, `.${target.name}.${systemEntropy(4)}.tmp`);
  await mkdir(staging);
  try {
    const written = await write(staging);
    await place(staging, target);
    await rm(staging, { recursive: true, force: true });
    return written;
  } catch (error) {
    await rm(staging, { recursive: true, force: true });
    if (made !== undefined) await removeEmpty(target.directory, made);
    throw error;
  }
}

/** The scenario file is moved last, so that a listed scenario is complete. */
async function place(staging: string, { file, name, material }: NewFile): Promise<void> {
  const has_material = existsSync(join(staging, name));
  if (has_material) await rename(join(staging, name), material);
  try {
    await copyFile(join(staging, basename(file)), resolve(file), constants.COPYFILE_EXCL);
  } catch (error) {
    if (has_material) await rm(material, { recursive: true, force: true });
    throw error;
  }
}

/** Removes empty directories from `directory` up to `top`. */
async function removeEmpty(directory: string, top: string): Promise<void> {
  for (let at = directory; at.length >= top.length; at = dirname(at))
    if (
      !(await rmdir(at).then(
        () => true,
        () => false,
      ))
    )
      return;
}
