import { Failure } from "../../domain/failure.ts";
import { systemClock } from "../../runtime/clock.ts";
import { type PrunedUnit, type PrunePlan, type Pruning, planPrune, prune } from "../../store/pruning.ts";
import { EXIT, exitCodeOfCommand } from "./exit-code.ts";
import { type CommandSpec, type ParsedArguments, parseArguments, UsageError } from "./flags/parse-arguments.ts";
import { demandStoredSessions, openStoredSessions } from "./services/services.ts";

export const PRUNE = {
  name: "abeval prune",
  usage: "abeval prune [flags]",
  description:
    "Deletes stored sessions for good, the oldest first. It keeps running sessions, and deletes a series only as a whole.\n" +
    "Without --yes it only lists what it would delete. No other abeval may use the state directory; a database may be in use.",
  examples: [
    "abeval prune --state-dir .abeval --older-than 90d",
    "abeval prune --state-dir .abeval --keep-size 2GB --yes",
    "abeval prune --database-url postgres://abeval@db.example.com/abeval --scenario pager --older-than 2w --yes",
  ],
  parameters: [],
  flags: {
    "older-than": {
      value: "<age>",
      description: "delete what was accepted longer ago: 12h, 30d, 8w; a series counts by its newest trial",
    },
    "keep-size": { value: "<size>", description: "delete until the rest takes no more than this: 500MB, 2GB" },
    scenario: { value: "<name>", repeatable: true, description: "delete only sessions of this scenario; repeatable" },
    all: { description: "allow deleting everything that has ended" },
    "dry-run": { description: "only list what would be deleted, as without --yes" },
    yes: { description: "delete them" },
    "state-dir": { value: "<path>", description: "the directory that holds the sessions" },
    "database-url": { value: "<url>", description: "the database that holds them (default: ABEVAL_DATABASE_URL)" },
  },
} as const satisfies CommandSpec<string>;

type Arguments = ParsedArguments<keyof typeof PRUNE.flags>;

/** `abeval prune`: returns the exit status. */
export const command = (args: readonly string[]): Promise<number> =>
  exitCodeOfCommand(PRUNE.name, async () => await pruneSessions(await parseArguments(PRUNE, args)));

async function pruneSessions(args: Arguments): Promise<number> {
  const request = requestOf(args);
  const state_dir = args.value("state-dir");
  if (state_dir !== undefined) await demandStateDirectory(state_dir, args.has("yes"));
  await using opened = await openStoredSessions(args);
  const { pruning } = opened.store;
  if (!pruning) throw new UsageError("there is nothing to prune in memory");
  const plan = await planPrune(pruning, request);
  process.stdout.write(inWords(plan));
  const isAll = plan.goes.length > 0 && plan.stays.length === plan.open;
  if (isAll && !args.has("all")) {
    const words = "this would delete everything that has ended, so nothing was deleted; to delete it, add --all";
    if (args.has("yes")) throw new UsageError(words);
    process.stdout.write(`${words}\n`);
  } else if (!args.has("yes"))
    process.stdout.write(plan.goes.length > 0 ? "nothing was deleted; to delete these, add --yes\n" : "");
  else process.stdout.write(await done(pruning, plan));
  return EXIT.done;
}

/** @throws UsageError */
function requestOf(args: Arguments) {
  if (args.has("yes") && args.has("dry-run")) throw new UsageError("--yes and --dry-run exclude each other");
  const [age, size] = [args.value("older-than"), args.value("keep-size")];
  const scenarios = args.values("scenario");
  if (age === undefined && size === undefined && scenarios.length === 0 && !args.has("all"))
    throw new UsageError("say what to delete: --older-than, --keep-size, --scenario or --all");
  return {
    before: age === undefined ? undefined : systemClock.now().getTime() - amount("older-than", age, AGES),
    keep_bytes: size === undefined ? undefined : amount("keep-size", size, SIZES),
    scenarios,
  };
}

const HOUR_MS = 3_600_000;
const AGES = { h: HOUR_MS, d: 24 * HOUR_MS, w: 7 * 24 * HOUR_MS };
const SIZES = { kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 };

/** @throws UsageError for what is no number with one of the units */
function amount(flag: string, given: string, units: Readonly<Record<string, number>>): number {
  const [, number = "", unit = ""] = /^(\d{1,6}(?:\.\d{1,3})?)([A-Za-z]+)$/.exec(given) ?? [];
  const factor = Object.hasOwn(units, unit) ? units[unit] : undefined;
  if (factor !== undefined) return Number(number) * factor;
  const known = Object.keys(units).join(", ");
  throw new UsageError(
    `--${flag}: expected a number with one of ${known}, such as 30${Object.keys(units)[1]}, got "${given}"`,
  );
}

/** @throws UsageError, Failure */
async function demandStateDirectory(state_dir: string, writes: boolean): Promise<void> {
  demandStoredSessions(state_dir);
  const { isInUse } = await import("../../store/sqlite/process-lease.ts");
  if (writes && isInUse(state_dir))
    throw new UsageError(`--state-dir ${state_dir}: another abeval uses it; stop that one first`);
}

async function done(pruning: Pruning, { goes }: PrunePlan): Promise<string> {
  const gone = await prune(pruning, goes);
  const told = `deleted: ${counted(gone, "session")}`;
  try {
    const given = await pruning.compact();
    return given === null
      ? `${told}; PostgreSQL reuses the space, VACUUM FULL would return it to the disk\n`
      : `${told}; ${inBytes(given)} returned to the disk\n`;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return `${told}; the space could not be returned to the disk and will be reused: ${error.message}\n`;
  }
}

function inWords({ goes, stays, open, partly, baselines }: PrunePlan): string {
  const kept = [
    ...(open > 0 ? [`${open} still running`] : []),
    ...(partly.length > 0 ? [`series that also have other scenarios: ${listed(partly)}`] : []),
    ...(baselines.length > 0 ? [`baselines of other series: ${listed(baselines)}`] : []),
  ];
  const lines = [`delete: ${summed(goes)}`, `keep:   ${summed(stays)}`, ...kept.map((line) => `  among them ${line}`)];
  return `${lines.join("\n")}\n`;
}

function summed(units: readonly PrunedUnit[]): string {
  const sum = (of: (unit: PrunedUnit) => number, some = units) => some.reduce((total, unit) => total + of(unit), 0);
  const series = units.filter(({ kind }) => kind === "series");
  const inSeries = `${sum((unit) => unit.sessions, series)} of them in ${series.length} series`;
  const firsts = units.flatMap(({ first }) => first ?? []);
  const lasts = units.flatMap(({ last }) => last ?? []);
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  const most = (of: readonly number[], better: (a: number, b: number) => number) => of.reduce((a, b) => better(a, b));
  return [
    counted(
      sum((unit) => unit.sessions),
      "session",
    ),
    ...(series.length > 0 ? [inSeries] : []),
    inBytes(sum(({ bytes }) => bytes)),
    ...(firsts.length > 0 ? [`from ${day(most(firsts, Math.min))} to ${day(most(lasts, Math.max))}`] : []),
  ].join(", ");
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? "" : "s"}`;

const SHOWN = 5;

const listed = (ids: readonly string[]) =>
  ids.length > SHOWN ? `${ids.slice(0, SHOWN).join(", ")} and ${ids.length - SHOWN} more` : ids.join(", ");

function inBytes(bytes: number): string {
  const [unit, factor] = Object.entries(SIZES).findLast(([, size]) => bytes >= size) ?? ["bytes", 1];
  return `${factor === 1 ? bytes : (bytes / factor).toFixed(1)} ${unit}`;
}
