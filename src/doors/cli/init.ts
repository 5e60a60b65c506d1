import { existsSync } from "node:fs";
import { extname } from "node:path";
import { cancel, intro, isCancel, multiselect, select, text } from "@clack/prompts";
import { SCENARIO_ENDINGS } from "../../comparison/scenario/load-scenario.ts";
import type { ComparisonRequest } from "../../domain/comparison.ts";
import { MAX_ARMS } from "../../domain/defaults.ts";
import { ModelRef } from "../../domain/schema.ts";
import { EXIT, exitCodeOfCommand } from "./exit-code.ts";
import { type CommandSpec, parseArguments, UsageError } from "./flags/parse-arguments.ts";
import { RUN, type RunArguments, type RunFlag } from "./flags/run-flags.ts";
import { answerChecks, byArm, promptsIn, writeComparison } from "./new/new-comparison.ts";
import { newFileAt } from "./new/new-file.ts";
import { isTerminal } from "./terminal/terminal.ts";

export const INIT = {
  name: "abeval init",
  usage: "abeval init [file.yaml] [flags]",
  description:
    "Asks on this terminal what is compared, on which questions, and what makes an answer better; then writes the scenario as\n" +
    "`abeval new` does, and says what it costs and the next command. Nothing is overwritten. Exit status: 0 ready, 2 not ready or not\n" +
    "written, 130 broken off; then nothing was written.",
  examples: ["abeval init tone.yaml"],
  parameters: [],
  variadic: true,
  flags: { "judge-model": RUN.flags["judge-model"], prices: RUN.flags.prices },
} as const satisfies CommandSpec<"judge-model" | "prices">;

/** `abeval init`: returns the exit status. */
export const command = (args: readonly string[]): Promise<number> =>
  exitCodeOfCommand(INIT.name, async () => {
    const spec = INIT as unknown as CommandSpec<RunFlag>; // other flags are unknown to it
    const parsed = await parseArguments(spec, args);
    const [given, extra] = parsed.parameters;
    if (extra !== undefined) throw new UsageError(`unexpected "${extra}"; usage: ${INIT.usage}`);
    if (!isTerminal(1) || !process.stdin.isTTY)
      throw new UsageError("abeval init asks on a terminal; without one: abeval new <file> --prompts <file> <file>");
    return await interviewed(parsed, given);
  });

async function interviewed(args: RunArguments, given: string | undefined): Promise<number> {
  const judge_model = args.value("judge-model");
  try {
    if (given !== undefined) newFileAt(given);
    intro("What do you compare?");
    const target = newFileAt(given ?? (await asked(text({ message: "File to write", ...NEW_FILE }))));
    const { comparison, rows } = await interview(target.name);
    const judged = { ...comparison, ...(judge_model !== undefined && { judge_model }) };
    return await writeComparison(args, target, { comparison: judged, rows });
  } catch (error) {
    if (!(error instanceof BrokenOff)) throw error;
    cancel("Nothing was written.");
    return EXIT.interrupted;
  }
}

/** Whoever answers pressed Ctrl-C or Escape. */
class BrokenOff extends Error {
  override readonly name = "BrokenOff";
}

/** @throws BrokenOff */
async function asked<T>(question: Promise<T>): Promise<Exclude<T, symbol>> {
  const given = await question;
  if (isCancel(given)) throw new BrokenOff();
  return given as Exclude<T, symbol>; // a symbol stands for broken off alone
}

type Given = string | undefined;

const NEW_FILE = {
  initialValue: "comparison.yaml",
  validate: (file: Given) => {
    if (!SCENARIO_ENDINGS.includes(extname(file ?? ""))) return "It ends in .yaml.";
    return existsSync(file ?? "") ? "It exists, and nothing is overwritten." : undefined;
  },
};

/** @throws BrokenOff */
async function interview(name: string) {
  const kind = await asked(
    select({
      message: "What differs?",
      options: [
        { value: "prompts", label: "The prompt" },
        { value: "models", label: "The model" },
      ],
    }),
  );
  const arms = kind === "models" ? await askModels() : await askPrompts();
  const rows = await askRows();
  const better = await askBetter(rows.table !== undefined);
  return { comparison: { name, ...arms, ...rows.written, ...better }, rows: rows.table };
}

const words = (line: string): readonly string[] => line.split(/[\s,]+/).filter((word) => word !== "");

const isModel = (word: string) => new RegExp(ModelRef.pattern ?? "").test(word);

const someOf = (what: string, isRight: (word: string) => boolean, wrong: string) => ({
  validate: (line: Given) => {
    const given = words(line ?? "");
    if (given.length < 2 || given.length > MAX_ARMS) return `Name 2 to ${MAX_ARMS} ${what}, with spaces between them.`;
    const stranger = given.find((word) => !isRight(word));
    return stranger === undefined ? undefined : `${stranger}: ${wrong}`;
  },
});

const FORM = "is no <provider>/<model>.";
const oneModel = { validate: (word: Given) => (isModel(word ?? "") ? undefined : `A model is <provider>/<model>.`) };

/** @throws BrokenOff */
async function askModels(): Promise<Pick<ComparisonRequest, "models">> {
  const placeholder = "openai/gpt-5 anthropic/claude-fable-5-2";
  const line = await asked(text({ message: "Models", placeholder, ...someOf("models", isModel, FORM) }));
  return { models: byArm(words(line), words(line)) };
}

/** @throws BrokenOff */
async function askPrompts(): Promise<Pick<ComparisonRequest, "prompts" | "model">> {
  const files = await asked(
    text({
      message: "Files with the prompts",
      placeholder: "a.md b.md",
      ...someOf("files", existsSync, "there is no such file."),
    }),
  );
  const prompts = await promptsIn(words(files));
  const model = await asked(text({ message: "Model that answers them", placeholder: "openai/gpt-5", ...oneModel }));
  return { prompts, model };
}

interface AskedRows {
  readonly table: string | undefined;
  readonly written: Pick<ComparisonRequest, "rows">;
}

/** @throws BrokenOff */
async function askRows(): Promise<AskedRows> {
  const table = await asked(
    text({
      message: "Table with the questions (.csv or .jsonl); empty: ask one question",
      validate: (path: Given) => (path && !existsSync(path) ? "There is no such file." : undefined),
      defaultValue: "",
    }),
  );
  if (table) return { table, written: {} };
  const question = await asked(text({ message: "The question", validate: (line: Given) => demanded(line) }));
  return { table: undefined, written: { rows: [{ question }] } };
}

const demanded = (line: Given) => (line?.trim() ? undefined : "Write something.");

/** @throws BrokenOff */
async function askBetter(hasTable: boolean) {
  const ways = await asked(
    multiselect({
      message: "When is an answer better?",
      options: [
        ...(hasTable ? [{ value: "contains", label: "It contains what the table says" }] : []),
        { value: "lacks", label: "It lacks a text" },
        { value: "question", label: "A judge model says so" },
      ],
      required: true,
    }),
  );
  const line = async (way: string, message: string) =>
    ways.includes(way) ? await asked(text({ message, validate: (given: Given) => demanded(given) })) : undefined;
  const column = await line("contains", "Column with what it must contain");
  const lacks = await line("lacks", "Text that it may not contain");
  const question = await line("question", "What is the judge asked? As: Is it polite?");
  const checks = answerChecks(column, lacks);
  return { ...(checks.length > 0 && { checks }), ...(question !== undefined && { question }) };
}
