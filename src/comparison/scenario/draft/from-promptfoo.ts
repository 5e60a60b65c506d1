import { basename } from "node:path";
import { cut } from "../../../domain/excerpt.ts";
import { asRecord, asRecords, asText, type LooseRecord } from "../../../domain/lenient.ts";
import { plainText } from "../../../domain/plain-text.ts";
import type { Draft, DraftCheck } from "../draft-scenario.ts";
import { slugOf } from "../resolve/ids.ts";
import { Unusable } from "../unusable.ts";
import { type AnswerCheck, answerLacksPattern, answerMatches } from "./assertion.ts";
import { textOf, yamlOf } from "./material.ts";

export const PROMPTFOO_MARKER = "promptfooconfig.yaml";

/** One test of a configuration with one of its prompts. */
interface PromptTest {
  readonly task: string;
  readonly name: string;
  readonly draft: (name: string) => Promise<Draft>;
}

/** Each test of a `promptfooconfig.yaml` with each prompt. @throws Unusable when the file cannot be read */
export async function promptTests(directory: string, task: string): Promise<readonly PromptTest[]> {
  const config = await yamlOf(directory, PROMPTFOO_MARKER);
  const prompts = listed(config["prompts"]);
  const tests = config["tests"] === undefined ? [{}] : asRecords(config["tests"]);
  if (prompts.length === 0) throw new Unusable("has no prompts");
  if (tests.length === 0) throw new Unusable("has its tests in another file");
  const common = asRecord(config["defaultTest"]) ?? {};
  return prompts.flatMap((prompt, p) =>
    tests.map((test, t) => {
      const words = asText(test["description"]) ?? `${t + 1}`;
      const which = prompts.length > 1 ? `p${p + 1}-` : "";
      return {
        task: `${task} prompt ${p + 1}, test ${t + 1}`,
        name: slugOf(`${basename(directory).slice(0, 15)}-${which}${words}`, `test-${t + 1}`),
        draft: (name: string) => draftOf(directory, { prompt, test, common }, name),
      };
    }),
  );
}

const listed = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value];

interface Case {
  readonly prompt: unknown;
  readonly test: LooseRecord;
  readonly common: LooseRecord;
}

/** Fields of a test that change what is asked or asserted in ways that are not known here. */
const REFUSED = ["provider", "options", "threshold", "assertScoringFunction", "scenarios"] as const;

async function draftOf(directory: string, { prompt, test, common }: Case, name: string): Promise<Draft> {
  const stranger = REFUSED.find((key) => test[key] !== undefined || common[key] !== undefined);
  if (stranger !== undefined) throw new Unusable(`has a field that is not known: ${stranger}`);
  const vars = { ...asRecord(common["vars"]), ...asRecord(test["vars"]) };
  const asked = rendered(await promptText(directory, prompt), vars);
  const asserted = [...asRecords(common["assert"]), ...asRecords(test["assert"])].map((one) => assertionOf(one, vars));
  if (asserted.length === 0) throw new Unusable("asserts nothing");
  return {
    name,
    title: plainText(asText(test["description"]) ?? name).trim() || name,
    origin: `the prompts of ${basename(directory)}`,
    form: "promptfoo",
    prompt: `${plainText(asked).trim()}\n`,
    setup: [],
    checks: asserted.flatMap((one) => ("file" in one ? [one] : [])),
    reference: null,
    protected: [],
    named: [],
    answer: "alone",
    questions: asserted.flatMap((one) => ("question" in one ? [one] : [])),
    notes: [{ path: ["arms"], text: "The providers of the configuration are not taken over: name the models here." }],
    material: [],
  };
}

async function promptText(directory: string, prompt: unknown): Promise<string> {
  const text = asText(prompt) ?? asText(asRecord(prompt)?.["raw"]);
  if (text === undefined) throw new Unusable("has a prompt that is no text");
  const file = /^file:\/\/(.*)$/.exec(text)?.[1];
  if (file !== undefined && !/\.(txt|md)$/.test(file)) throw new Unusable(`has a prompt that is no text: ${cut(file)}`);
  const read = file === undefined ? text : await textOf(directory, file);
  if (/^\s*\[\s*\{/.test(read)) throw new Unusable("has a prompt that is a list of messages");
  return read;
}

/** Values in the places of their names. @throws Unusable for what a template language would have to do */
function rendered(template: string, vars: LooseRecord): string {
  if (/\{%|\{#|\{\{-/.test(template)) throw new Unusable("has a template with statements");
  return template.replace(/\{\{([^{}]*)\}\}/g, (_, inside: string) => {
    const name = inside.trim();
    if (!Object.hasOwn(vars, name)) throw new Unusable(`has a template whose value is not known: ${cut(name)}`);
    const value = vars[name];
    if (typeof value === "object" && value !== null) throw new Unusable(`has a variable that is no text: ${cut(name)}`);
    if (/^file:\/\//.test(`${value}`)) throw new Unusable(`has a variable in another file: ${cut(name)}`);
    return `${value}`;
  });
}

type Asserted = DraftCheck | { readonly question: string };

const QUESTIONS: ReadonlySet<string> = new Set(["llm-rubric", "g-eval", "model-graded-closedqa", "factuality"]);

function assertionOf(assertion: LooseRecord, vars: LooseRecord): Asserted {
  const type = asText(assertion["type"]) ?? "";
  const stranger = ["transform", "provider", "threshold", "config"].find((key) => assertion[key] !== undefined);
  if (stranger !== undefined) throw new Unusable(`asserts with ${stranger}: ${cut(type)}`);
  const values = listed(assertion["value"]).map((value) =>
    typeof value === "object" ? value : rendered(`${value}`, vars),
  );
  const texts = values.flatMap((value) => asText(value) ?? []);
  if (QUESTIONS.has(type) && texts.length > 0) return { question: plainText(texts.join("\n")) };
  const check = checkOf(type, texts, assertion["value"]);
  if (check === null) throw new Unusable(`asserts what has no check here: ${cut(type)}`);
  const { weight } = assertion;
  return {
    file: `${type} ${texts[0] ?? ""}`.replaceAll(/[./]/g, " "),
    ...check,
    ...(typeof weight === "number" && weight > 0 && { weight }),
  };
}

function checkOf(type: string, texts: readonly string[], value: unknown): AnswerCheck | null {
  const isNot = type.startsWith("not-");
  const kind = isNot ? type.slice("not-".length) : type;
  if (/^(is|contains)-json$/.test(kind)) return isNot ? null : jsonCheck(value);
  const [first] = texts;
  if (first === undefined || first === "") return null;
  const isLoose = kind.startsWith("icontains");
  const word = kind.replace(/^icontains/, "contains");
  return isNot ? negative(word, texts, isLoose) : positive(word, texts, isLoose);
}

function positive(kind: string, texts: readonly string[], isLoose: boolean): AnswerCheck | null {
  const literal = texts.map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  const flags = isLoose ? "i" : "";
  const checks: Readonly<Record<string, () => AnswerCheck>> = {
    contains: () => ({ answer_contains: [...texts], ...(isLoose && { ignore_case: true }) }),
    "contains-all": () => ({ answer_contains: [...texts], ...(isLoose && { ignore_case: true }) }),
    "contains-any": () => answerMatches(literal.join("|"), flags),
    "starts-with": () => answerMatches(`\\A${literal[0]}`),
    equals: () => answerMatches(`\\A${literal[0]}\\z`),
    regex: () => answerMatches(texts[0] ?? ""),
  };
  return Object.hasOwn(checks, kind) ? (checks[kind]?.() ?? null) : null;
}

/** Not all of several is another thing than none of them. */
function negative(kind: string, texts: readonly string[], isLoose: boolean): AnswerCheck | null {
  if (kind === "regex") return answerLacksPattern(texts[0] ?? "");
  const isNone = kind === "contains-any" || (/^contains(-all)?$/.test(kind) && texts.length === 1);
  return isNone ? { answer_lacks: [...texts], ...(isLoose && { ignore_case: true }) } : null;
}

const jsonCheck = (value: unknown): AnswerCheck | null => {
  const schema = asRecord(value);
  return value === undefined ? { answer_json: true } : schema === undefined ? null : { answer_json: { ...schema } };
};
