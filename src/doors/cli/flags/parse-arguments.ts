import type { cli } from "cleye";
import { typeFlag } from "type-flag";
import { closestTo } from "../../../domain/did-you-mean.ts";

/** A mistake on the command line. The message says which, and what would be right. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

export interface FlagSpec {
  readonly description: string;
  /** Shown in help; its absence makes a switch without a value. */
  readonly value?: string;
  readonly choices?: readonly string[];
  /** May be given more than once. */
  readonly repeatable?: true;
  /** Only whole numbers in this range. */
  readonly range?: { readonly min: number; readonly max: number };
  /** Only US dollars above 0. */
  readonly usd?: true;
}

export interface CommandSpec<Flag extends string> {
  readonly name: string;
  readonly usage: string;
  readonly description: string;
  readonly examples: readonly string[];
  /** By their names as typed, without dashes. */
  readonly flags: Readonly<Record<Flag, FlagSpec>>;
  /** The flags by what they are about, as help lists them; each stands once. Absent: one list. */
  readonly groups?: Readonly<Record<string, readonly NoInfer<Flag>[]>>;
  /** Names of the words without dashes. Each is required. */
  readonly parameters: readonly string[];
  /** The last parameter may be given several times. */
  readonly variadic?: true;
}

export interface ParsedArguments<Flag extends string> {
  readonly parameters: readonly string[];
  value(flag: Flag): string | undefined;
  /** The values of a repeatable flag, in the order given. */
  values(flag: Flag): readonly string[];
  /** The value of a flag that has a range. */
  integer(flag: Flag): number | undefined;
  /** The value of a flag that takes US dollars. */
  usd(flag: Flag): number | undefined;
  has(flag: Flag): boolean;
  /** The flags on the command line, in the order of the specification. */
  given(): readonly Flag[];
}

/**
 * Prints help and ends the process for `--help`.
 * @throws UsageError for an unknown flag, a flag given twice, a missing value, a value that is not among the choices, and too
 * few or too many words
 */
export async function parseArguments<Flag extends string>(
  spec: CommandSpec<Flag>,
  args: readonly string[],
): Promise<ParsedArguments<Flag>> {
  if (wantsHelp(args)) await printHelp(spec);
  const specs = Object.entries<FlagSpec>(spec.flags);
  refuseValues(specs, args);
  const parsed = typeFlag(listFlags(specs), joinNegatives(specs, args));
  // Object keys that are numbers come first, so `-1` in `--grase -1` would hide the wrong name.
  const strangers = Object.keys(parsed.unknownFlags);
  const unknown = strangers.find((name) => !/^\d+$/.test(name)) ?? strangers[0];
  if (unknown !== undefined) throw new UsageError(unknownFlag(unknown, Object.keys(spec.flags)));
  const lists: Readonly<Record<string, readonly unknown[]>> = parsed.flags; // listFlags made each a list
  const listOf = (flag: string) => lists[camelCase(flag)] ?? [];
  for (const [flag, flagSpec] of specs) checkFlag(flag, flagSpec, listOf(flag));
  const texts = (flag: string) => listOf(flag).map(String);
  const number = (flag: string) => texts(flag).map(Number)[0];
  return {
    parameters: checkWords(spec, [...parsed._]),
    value: (flag) => texts(flag)[0],
    values: texts,
    integer: number,
    usd: number,
    has: (flag) => listOf(flag)[0] === true,
    given: () => specs.map(([flag]) => flag as Flag).filter((flag) => listOf(flag).length > 0),
  };
}

/** The flags as both libraries take them. Every flag is a list, so that one given twice is seen. */
const listFlags = (specs: FlagSpecs) =>
  Object.fromEntries(
    specs.map(([flag, { description, value }]) => [
      camelCase(flag),
      value === undefined
        ? { type: [Boolean] as const, description }
        : { type: [String] as const, description, placeholder: value },
    ]),
  );

/** The library takes `--yes=no` for yes. @throws UsageError */
function refuseValues(specs: FlagSpecs, args: readonly string[]): void {
  const switches = new Set(specs.flatMap(([flag, { value }]) => (value === undefined ? [flag, camelCase(flag)] : [])));
  for (const word of flagsIn(args)) {
    const [, flag = "", value = ""] = /^--([^=]+)=(.*)$/s.exec(word) ?? [];
    if (switches.has(flag)) throw new UsageError(`--${flag} takes no value, got "${value}": give it, or leave it out`);
  }
}

/** `--max-cost -1` as `--max-cost=-1`, so that the message is about the value and not about an unknown flag `-1`. */
function joinNegatives(specs: FlagSpecs, args: readonly string[]): string[] {
  const takers = new Set(specs.flatMap(([flag, { value }]) => (value === undefined ? [] : [`--${flag}`])));
  const end = args.indexOf("--");
  const isNegative = (index: number) =>
    (end < 0 || index < end) && takers.has(args[index - 1] ?? "") && /^-\.?\d/.test(args[index] ?? "");
  return args.flatMap((word, index) => {
    if (isNegative(index)) return [];
    return isNegative(index + 1) ? [`${word}=${args[index + 1]}`] : [word];
  });
}

const wantsHelp = (args: readonly string[]) => flagsIn(args).some((word) => word === "--help" || word === "-h");

/** Words after `--` are no flags. */
function flagsIn(args: readonly string[]): readonly string[] {
  const end = args.indexOf("--");
  return args.slice(0, end < 0 ? args.length : end);
}

/** cleye is loaded for help only: its set-up of the terminal takes longer than reading the flags. */
async function printHelp({ name, usage, description, examples, flags, groups }: CommandSpec<string>): Promise<never> {
  const { cli } = await import("cleye");
  const help = { usage, description, examples: [...examples], ...(groups && { render: renderGrouped(groups) }) };
  cli({ name, flags: listFlags(Object.entries(flags)), help }, undefined, ["--help"]);
  process.exit(0);
}

/** Renders a list of flags for each group, in the order given, and last a list of flags that no group names. */
const renderGrouped =
  (groups: Readonly<Record<string, readonly string[]>>): NonNullable<HelpOptions["render"]> =>
  (nodes, renderers) => {
    const named = Object.values(groups).flat();
    return renderers.render(
      nodes.flatMap((node) => {
        if (node.id !== "flags") return [node];
        const { data } = node as FlagsNode; // as cleye makes it
        const rows = data.body.data.tableData;
        const ofGroup = (title: string, wanted: readonly FlagRow[]) => {
          const table = { ...data.body, data: { ...data.body.data, tableData: wanted } };
          return { ...node, data: { ...data, title: `${title}:`, body: table } };
        };
        const listed = Object.entries(groups).map(([title, names]) =>
          ofGroup(
            title,
            names.flatMap((name) => rows.filter((row) => nameOf(row) === name)),
          ),
        );
        return [
          ...listed,
          ofGroup(
            "Other",
            rows.filter((row) => !named.includes(nameOf(row))),
          ),
        ];
      }),
    );
  };

type HelpOptions = Exclude<NonNullable<Parameters<typeof cli>[0]["help"]>, false>;

type FlagRow = readonly { readonly data: { readonly flagFormatted: string } }[];

interface FlagsNode {
  readonly data: { readonly body: { readonly data: { readonly tableData: readonly FlagRow[] } } };
}

const nameOf = ([first]: FlagRow) => first?.data.flagFormatted.slice(2) ?? "";

type FlagSpecs = readonly (readonly [flag: string, spec: FlagSpec])[];

const camelCase = (flag: string) => flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

function unknownFlag(flag: string, known: readonly string[]): string {
  const dashed = flag.length === 1 ? `-${flag}` : `--${flag}`;
  const near = closestTo(flag, known);
  const hint = near === undefined ? `known flags: --${known.join(", --")}` : `did you mean --${near}?`;
  return `unknown flag ${dashed}; ${hint}`;
}

function checkFlag(flag: string, spec: FlagSpec, given: readonly unknown[]): void {
  if (given.length > 1 && !spec.repeatable)
    throw new UsageError(`--${flag} is given ${given.length} times; give it once`);
  for (const one of given) checkValue(flag, spec, one);
}

function checkValue(flag: string, { value, choices, range, usd }: FlagSpec, given: unknown): void {
  if (value === undefined) return;
  if (given === "") throw new UsageError(`--${flag} needs a value: --${flag} ${value}`);
  if (choices && !choices.includes(String(given)))
    throw new UsageError(`--${flag}: expected ${choices.join(", ")}, got "${given}"`);
  if (range && !isWithin(range, String(given)))
    throw new UsageError(`--${flag}: expected a whole number from ${range.min} to ${range.max}, got "${given}"`);
  if (usd && !isUsd(String(given)))
    throw new UsageError(
      `--${flag}: expected US dollars in digits, above 0 and below 1000000000, such as 2.50, got "${given}"`,
    );
}

const isWithin = ({ min, max }: { min: number; max: number }, text: string) =>
  /^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max;

const isUsd = (text: string) => /^(\d{1,9}(\.\d{1,9})?|\.\d{1,9})$/.test(text) && Number(text) > 0;

function checkWords(
  spec: Pick<CommandSpec<string>, "usage" | "parameters" | "variadic">,
  words: string[],
): readonly string[] {
  const missing = spec.parameters[words.length];
  if (missing !== undefined) throw new UsageError(`missing <${missing}>; usage: ${spec.usage}`);
  const extra = words[spec.parameters.length];
  if (extra !== undefined && spec.variadic === undefined)
    throw new UsageError(`unexpected "${extra}"; usage: ${spec.usage}`);
  return words;
}

/** A word as a shell takes it. */
export const forShell = (word: string) => (/^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

/** @throws UsageError */
export function marginOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const margin = /^0?\.\d{1,9}$/.test(text) ? Number(text) : 0;
  if (margin > 0 && margin < 0.5) return margin;
  throw new UsageError(`--margin: expected a number between 0 and 0.5, such as 0.15, got "${text}"`);
}

/** Points on the command line, a share everywhere else. @throws UsageError */
export function notWorseByOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const points = /^\d{1,2}(\.\d{1,3})?$/.test(text) ? Number(text) : 0;
  if (points >= 1 && points <= 50) return points / 100;
  throw new UsageError(`--not-worse-by: expected points from 1 to 50, such as 10, got "${text}"`);
}
