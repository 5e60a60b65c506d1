import { RE2JS } from "re2js";
import { didYouMean } from "../../../domain/did-you-mean.ts";
import { cut } from "../../../domain/excerpt.ts";
import { columnsText } from "../../table/table-rows.ts";
import type { FieldPath, Problems } from "../authored/problems.ts";

/** How a value becomes text in one place: as it is, or as part of a pattern, in which it means itself. */
type Kind = "text" | "pattern";

/** The checks of a scenario file. */
export const CHECKS: readonly string[] = ["task", "probe", "checks", "*"];

/** What arms are told of a row by their task, and what a judge reads in the place of prompts that differ. */
const SAID = [
  ["task", "prompt"],
  ["task", "question"],
  ["task", "messages", "*", "text"],
  ["task", "follow_ups", "*"],
  ["arms", "*", "prompt"],
];

/** The places of a scenario file that hold templates. `*` is every entry of a list or map. */
const TEMPLATED: readonly (readonly [path: readonly string[], kind: Kind])[] = [
  ...SAID.map((path) => [path, "text"] as const),
  [["task", "reference_answer"], "text"],
  [["task", "fixture", "files", "*"], "text"],
  [["arms", "*", "system_prompt"], "text"],
  [["arms", "*", "script", "*", "say"], "text"],
  [["arms", "*", "scripts", "*", "turns", "*", "say"], "text"],
  [["arms", "*", "ran", "log"], "text"],
  [["arms", "*", "ran", "change"], "text"],
  [["arms", "*", "ran", "answer"], "text"],
  [["arms", "*", "ran", "answer", "text"], "text"],
  [[...CHECKS, "answer_contains"], "text"],
  [[...CHECKS, "answer_contains", "*"], "text"],
  [[...CHECKS, "answer_lacks"], "text"],
  [[...CHECKS, "answer_lacks", "*"], "text"],
  [[...CHECKS, "answer_matches"], "pattern"],
  [[...CHECKS, "output_matches"], "pattern"],
];

/** A shell reads these. */
const COMMANDS = [CHECKS, [...CHECKS, "run"], ["task", "setup", "*"], ["task", "setup", "*", "run"]];

/** `{{{{`, which stands for two braces, or a name in braces. */
const TEMPLATE = /\{\{\{\{|\{\{([^{}]*)\}\}/g;

interface Place {
  readonly path: FieldPath;
  readonly text: string;
}

/** A mistake in a template, and where it stands. */
interface TemplateFault {
  readonly path: FieldPath;
  readonly message: string;
}

/** Mistakes that are told with the column that may be meant: looking for it costs a look at every column. */
const HINTS = 10;

/** Names that templates use, each with the first place that uses it; and what is wrong with templates. */
export function templatesOf(file: unknown, columns: readonly string[]) {
  const known = new Set(columns);
  const used = new Map<string, FieldPath>();
  const faults: TemplateFault[] = [];
  for (const { path, text } of TEMPLATED.flatMap(([pattern]) => placesOf(file, pattern)))
    for (const name of new Set(columnsNamedIn(text))) {
      const hint = () => (faults.length < HINTS ? hintOf(name, columns) : "");
      if (known.has(name)) used.set(name, used.get(name) ?? path);
      else faults.push({ path, message: `{{${cut(name)}}} names no column of the inputs${hint()}` });
    }
  for (const { path, text } of COMMANDS.flatMap((pattern) => placesOf(file, pattern)))
    for (const name of columnsNamedIn(text).filter((one) => known.has(one)))
      faults.push({
        path,
        message: `{{${name}}} cannot stand in a command: a shell would run what the value says; read it from $ABEVAL_EVIDENCE/input.json in a check`,
      });
  return { used, faults };
}

/** The values of a row that arms are told, as text by column. What checks alone look for is not among them. */
export function toldOf(file: unknown, values: Readonly<Record<string, unknown>>): Record<string, string> {
  const said = new Set(SAID.flatMap((path) => placesOf(file, path)).flatMap(({ text }) => columnsNamedIn(text)));
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (said.has(name) ? [[name, textOf(value)]] : [])),
  );
}

const hintOf = (name: string, columns: readonly string[]) =>
  `${didYouMean(name, columns) || `${columnsText(columns)}.`} For braces as they are write {{{{`;

/** The names that stand at these places. */
export const namesAt = (file: unknown, places: readonly (readonly string[])[]): ReadonlySet<string> =>
  new Set(places.flatMap((path) => placesOf(file, path)).flatMap(({ text }) => columnsNamedIn(text)));

export const columnsNamedIn = (text: string) =>
  [...text.matchAll(TEMPLATE)].flatMap(([, name]) => (name === undefined ? [] : name.trim()));

/** Braces around the name of a column that are not the two on each side of a template. */
const ODD_BRACES = /\{\{\{\{|\{\{\{([^{}]*)\}\}\}|\{\{\s*([\w.-]+)(?![\w.-]|\s*\}\})/g;

/** What seems to be meant as a template and is none, or fills less than it shows. Braces of JSON and code name no column. */
export function doubtfulBraces(file: unknown, columns: readonly string[]): TemplateFault[] {
  const known = new Set(columns);
  return TEMPLATED.flatMap(([pattern]) => placesOf(file, pattern)).flatMap(({ path, text }) => {
    const names = new Map(
      [...text.matchAll(ODD_BRACES)].flatMap(([, triple, open]) => {
        const name = triple?.trim() ?? open ?? "";
        return known.has(name) ? [[name, triple !== undefined] as const] : [];
      }),
    );
    return [...names].map(([name, isTriple]) => ({
      path,
      message: isTriple
        ? `{{{${cut(name)}}}} becomes the value between braces; write {{${cut(name)}}} for the value alone`
        : `{{${cut(name)} is not followed by }}, so it stays as it is; write {{${cut(name)}}}, or {{{{ for two braces`,
    }));
  });
}

/** The first text of a file without inputs that inputs would fill, and the names that stand in it. */
export const firstTemplate = (file: unknown) =>
  TEMPLATED.flatMap(([pattern]) => placesOf(file, pattern))
    .map(({ path, text }) => ({
      path,
      names: [...new Set(columnsNamedIn(text))].filter((name) => /^[A-Za-z_][\w.-]*$/.test(name)),
    }))
    .find(({ names }) => names.length > 0);

/** Characters that values may add to the texts of one row: a template may name a long value a thousand times. */
const MAX_FILLED = 8 * 1024 * 1024;

/**
 * Gives the file with the values of a row in the places of their names. What a value says is not filled again. Where it would be too long,
 * there is a problem, and the name stays.
 */
export function filling(file: unknown): (values: Readonly<Record<string, unknown>>, problems: Problems) => unknown {
  const places = TEMPLATED.flatMap(([pattern, kind]) => placesOf(file, pattern).map((place) => ({ ...place, kind })));
  const templates = places.filter(({ text }) => text.includes("{{"));
  return (values, problems) => {
    let added = 0;
    const texts = new Map<string, string>();
    const take = (path: FieldPath, name: string): string | undefined => {
      if (added > MAX_FILLED || !Object.hasOwn(values, name)) return undefined;
      const value = texts.get(name) ?? textOf(values[name]);
      texts.set(name, value);
      added += value.length;
      if (added <= MAX_FILLED) return value;
      problems.add(path, `values of more than ${MAX_FILLED} characters would be filled in; shorten them`);
      return undefined;
    };
    return templates.reduce((now, { path, text, kind }) => {
      const filled = fillText(text, kind, (name) => take(path, name));
      return withText(now, path, filled);
    }, file);
  };
}

/** A name of which `take` gives no value stays. */
function fillText(text: string, kind: Kind, take: (name: string) => string | undefined): string {
  const isPattern = kind === "pattern" && text.length > 1 && text.startsWith("/") && text.endsWith("/");
  return text.replace(TEMPLATE, (whole: string, name: string | undefined) => {
    if (name === undefined) return "{{";
    const value = take(name.trim());
    if (value === undefined) return whole;
    return isPattern ? RE2JS.quote(value) : value;
  });
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

function placesOf(value: unknown, [step, ...rest]: readonly string[], path: FieldPath = []): Place[] {
  if (step === undefined) return typeof value === "string" ? [{ path, text: value }] : [];
  return stepsInto(value, step).flatMap((key) => placesOf(Reflect.get(Object(value), key), rest, [...path, key]));
}

/** A copy with another text at the path. */
function withText(value: unknown, [step, ...rest]: FieldPath, text: string): unknown {
  if (step === undefined) return text;
  const copy: object = Array.isArray(value) ? [...value] : { ...Object(value) };
  Reflect.set(copy, step, withText(Reflect.get(copy, step), rest, text));
  return copy;
}

function stepsInto(value: unknown, step: string): readonly (string | number)[] {
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return step === "*" ? value.map((_, index) => index) : [];
  if (step === "*") return Object.keys(value);
  return Object.hasOwn(value, step) ? [step] : [];
}
