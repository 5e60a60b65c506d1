import { existsSync } from "node:fs";
import { lstat } from "node:fs/promises";
import { dirname, isAbsolute, join, relative } from "node:path";
import { parseEnv } from "node:util";
import { parse as parseYaml } from "yaml";
import { CONFIG_FILE } from "../../../comparison/scenario/load-scenario.ts";
import { readText } from "../../../comparison/scenario/read-text.ts";
import { Unusable } from "../../../comparison/scenario/unusable.ts";
import { didYouMean } from "../../../domain/did-you-mean.ts";
import { cut } from "../../../domain/excerpt.ts";
import { asRecord } from "../../../domain/lenient.ts";
import { plainText } from "../../../domain/plain-text.ts";
import { isInCi, namesDatabase, takeVariables } from "../services/services.ts";
import {
  type CommandSpec,
  type FlagSpec,
  type ParsedArguments,
  parseArguments,
  UsageError,
} from "./parse-arguments.ts";

/** Flags of every command that takes defaults from a file. */
export const CONFIG_FLAGS = {
  "no-config": { description: "read no abeval.yaml" },
  "env-file": {
    value: "<file>",
    description:
      "take keys and addresses of providers, and ABEVAL_... variables, from this file; what the environment has is stronger",
  },
} as const satisfies Record<string, FlagSpec>;
type ConfigFlag = keyof typeof CONFIG_FLAGS;

/** What the file may say; the other flags are about one run. */
const SAID = ["model", "judge-model", "prices", "state-dir", "scenarios-dir", "not-worse-by"];
/** Relative to the file. */
const PATHS = ["prices", "state-dir", "scenarios-dir"];
/** What would open a gate for whoever wrote the change: a checkout never gives them in CI, nor where --base names a change. */
const NEVER_FROM_A_CHANGE = ["judge-model", "prices", "state-dir", "not-worse-by"];
/** Flags beside which the default of another says nothing. */
const INSTEAD: Readonly<Record<string, string>> = { "state-dir": "database-url", model: "models" };

/** Bytes of a file with defaults, or with variables. */
const FILE_BYTES = 64 * 1024;

export type ConfiguredArguments<Flag extends string> = ParsedArguments<Flag | ConfigFlag> & {
  /** The files that gave something, as the author of a change may have written them. */
  readonly config: readonly string[];
};

/**
 * As `parseArguments`, with defaults from the nearest `abeval.yaml` between the working directory and the top of its git repository,
 * and variables from --env-file. What is taken is told on stderr.
 * @throws UsageError that names the file, for what it may not say
 */
export async function configuredArguments<Flag extends string>(
  spec: CommandSpec<Flag>,
  args: readonly string[],
): Promise<ConfiguredArguments<Flag>> {
  const whole = { ...spec, flags: { ...spec.flags, ...CONFIG_FLAGS } } as CommandSpec<Flag | ConfigFlag>;
  const parsed = await parseArguments(whole, args);
  const quiet = "quiet" in spec.flags && parsed.has("quiet" as Flag);
  const tell = (line: string) => void (quiet || process.stderr.write(`abeval: ${plainText(line)}\n`));
  const given: readonly string[] = parsed.given();
  const of_change = isInCi() || given.includes("base");
  const env_file = parsed.value("env-file" as Flag);
  if (env_file !== undefined) await takeEnvFile(env_file, { of_change, tell });
  const from = env_file === undefined ? [] : [env_file];
  const path = parsed.has("no-config" as Flag) ? undefined : configFile();
  if (path === undefined) return { ...parsed, config: from };
  const said = await readDefaults(path, { of_change, tell });
  const defaults = new Map(said.filter(([flag]) => isWanted(flag, spec, given)));
  for (const [flag, value] of defaults) await checked(path, whole, flag, value);
  if (defaults.size > 0) tell(`${path}: ${[...defaults].map(([flag, value]) => `${flag} ${value}`).join(", ")}`);
  const value = (flag: Flag | ConfigFlag) => parsed.value(flag) ?? defaults.get(flag);
  const values = (flag: Flag | ConfigFlag) => {
    const own = parsed.values(flag);
    return own.length > 0 ? own : [defaults.get(flag) ?? []].flat();
  };
  return { ...parsed, value, values, config: defaults.size > 0 ? [...from, path] : from };
}

/**
 * A default stands in for a flag that the command has and nobody gave. That of a model is for new scenarios alone: others say which
 * models they compare.
 */
function isWanted(flag: string, { flags }: Pick<CommandSpec<string>, "flags">, given: readonly string[]): boolean {
  if (flag === "model" && !("prompts" in flags)) return false;
  if (flag === "state-dir" && namesDatabase()) return false;
  return flag in flags && !given.includes(flag) && !given.includes(INSTEAD[flag] ?? "");
}

/** @throws UsageError that names the file, for what the flag does not take */
async function checked<Flag extends string>(path: string, spec: CommandSpec<Flag>, flag: string, value: string) {
  try {
    await parseArguments({ ...spec, parameters: [] }, [`--${flag}=${value}`]);
  } catch (error) {
    throw error instanceof UsageError ? new UsageError(`${path}: ${error.message}`) : error;
  }
}

/** The nearest one below the top of the git repository; outside of one that of the working directory itself. */
function configFile(): string | undefined {
  const here = workingDirectory();
  if (here === undefined) return undefined;
  const way = [here];
  for (let at = here; !existsSync(join(at, ".git")) && dirname(at) !== at; at = dirname(at)) way.push(dirname(at));
  const in_git = existsSync(join(way.at(-1) ?? here, ".git"));
  const directory = (in_git ? way : [here]).find((one) => existsSync(join(one, CONFIG_FILE)));
  return directory === undefined ? undefined : join(relative(here, directory), CONFIG_FILE);
}

/** Undefined where it was removed. */
function workingDirectory(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

interface Reading {
  /** Whoever wrote a change may have written the file. */
  readonly of_change: boolean;
  readonly tell: (line: string) => void;
}

type Defaults = readonly (readonly [flag: string, value: string])[];

/** @throws UsageError */
async function readDefaults(path: string, { of_change, tell }: Reading): Promise<Defaults> {
  const { uid } = await lstat(path);
  if (uid !== 0 && uid !== process.getuid?.()) {
    tell(`${path} belongs to another user, so it is not read`);
    return [];
  }
  const value = yamlOf(path, await textOf(path, path)) ?? {};
  const record = asRecord(value);
  if (record === undefined) throw new UsageError(`${path}: expected lines such as "judge-model: openai/gpt-5"`);
  const said = Object.entries(record);
  const stranger = said.find(([flag]) => !SAID.includes(flag))?.[0];
  if (stranger !== undefined)
    throw new UsageError(
      `${path}: does not take "${cut(stranger)}"${didYouMean(stranger, SAID) || `; it takes ${SAID.join(", ")}`}`,
    );
  const left = of_change ? NEVER_FROM_A_CHANGE : [];
  const unread = said.filter(([flag]) => left.includes(flag)).map(([flag]) => flag);
  if (unread.length > 0)
    tell(
      `${path}: ${unread.join(", ")}: not taken in CI or with --base, since whoever writes a change can edit it; give the flag`,
    );
  const defaults = said
    .filter(([flag]) => !left.includes(flag))
    .map(([flag, one]) => [flag, flagValue(path, flag, one)] as const);
  return withoutJudge(path, defaults, tell);
}

/** A scenario's own judge is stronger than a default: it becomes that of the environment, where that names none. */
function withoutJudge(path: string, defaults: Defaults, tell: Reading["tell"]): Defaults {
  const judge = defaults.find(([flag]) => flag === "judge-model")?.[1];
  const { taken } = takeVariables(judge === undefined ? [] : [["ABEVAL_JUDGE_MODEL", judge]]);
  if (taken.length > 0) tell(`${path}: judge-model ${judge}`);
  return defaults.filter(([flag]) => flag !== "judge-model");
}

/** @throws UsageError */
function flagValue(path: string, flag: string, value: unknown): string {
  if (typeof value !== "string" && typeof value !== "number")
    throw new UsageError(`${path}: ${flag}: expected a text or a number`);
  const text = String(value);
  return PATHS.includes(flag) && !isAbsolute(text) ? join(dirname(path), text) : text;
}

/** @throws UsageError */
function yamlOf(path: string, text: string): unknown {
  try {
    return parseYaml(text, { maxAliasCount: 0, logLevel: "error" });
  } catch (error) {
    throw new UsageError(`${path}: not valid YAML: ${cut(error instanceof Error ? error.message : "")}`);
  }
}

/** @throws UsageError */
async function textOf(path: string, named: string): Promise<string> {
  try {
    return await readText(path, FILE_BYTES);
  } catch (error) {
    throw error instanceof Unusable ? new UsageError(`${named}: ${error.message}`) : error;
  }
}

/** Names of variables that a file may give. */
const TAKEN = /^[A-Z0-9_]+_(?:API_KEY|BASE_URL|HEADERS)$|^ABEVAL_[A-Z0-9_]+$/;
/** Of them those that say neither who judges, nor where it is asked, nor what commands may do. */
const OF_A_CHANGE = /_API_KEY$|^ABEVAL_(?:ENDPOINT_[A-Z0-9_]+|DATABASE_URL|NOTIFY_URL)$/;

/** @throws UsageError */
async function takeEnvFile(path: string, { of_change, tell }: Reading): Promise<void> {
  const said = parseEnv(await textOf(path, `--env-file ${path}`));
  const wanted = Object.entries(said).flatMap(([name, value]) =>
    value !== undefined && TAKEN.test(name) ? [[name, value] as const] : [],
  );
  const allowed = of_change ? wanted.filter(([name]) => OF_A_CHANGE.test(name)) : wanted;
  const { taken, left } = takeVariables(allowed);
  const kept = wanted.filter((one) => !allowed.includes(one)).map(([name]) => name);
  if (taken.length > 0) tell(`${path}: ${taken.join(", ")}`);
  if (kept.length > 0) tell(`${path}: not taken in CI or with --base: ${kept.join(", ")}; set them in the job`);
  if (left.length > 0)
    tell(
      `${path}: not taken: ${left.join(", ")}; the environment is stronger, and an address goes only with a key of the same file`,
    );
}
