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
import { isInCi, takeVariables } from "../services/services.ts";
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
/** What would open a gate for whoever wrote the change: a checkout never gives them in CI. */
const NEVER_FROM_A_CHANGE = ["judge-model", "prices", "state-dir", "not-worse-by"];

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
  const env_file = parsed.value("env-file" as Flag);
  if (env_file !== undefined) await takeEnvFile(env_file, tell);
  const from = env_file === undefined ? [] : [env_file];
  const found = parsed.has("no-config" as Flag) ? undefined : await configFile(process.cwd());
  if (found === undefined) return { ...parsed, config: from };
  const given: readonly string[] = parsed.given();
  const defaults = (await readDefaults(found, tell)).filter(([flag]) => flag in spec.flags && !given.includes(flag));
  if (defaults.length === 0) return { ...parsed, config: from };
  const words = defaults.map(([flag, value]) => `--${flag}=${value}`);
  tell(`${found.path}: ${words.join(" ")}`);
  try {
    return { ...(await parseArguments(whole, [...words, ...args])), config: [...from, found.path] };
  } catch (error) {
    throw error instanceof UsageError ? new UsageError(`${found.path}: ${error.message}`) : error;
  }
}

interface ConfigFile {
  /** As the user would name it. */
  readonly path: string;
  readonly in_git: boolean;
}

/** The nearest one below the top of the git repository; outside of one that of the working directory itself. */
async function configFile(here: string): Promise<ConfigFile | undefined> {
  const way = [here];
  for (let at = here; !existsSync(join(at, ".git")) && dirname(at) !== at; at = dirname(at)) way.push(dirname(at));
  const in_git = existsSync(join(way.at(-1) ?? here, ".git"));
  const directory = (in_git ? way : [here]).find((one) => existsSync(join(one, CONFIG_FILE)));
  return directory === undefined ? undefined : { path: join(relative(here, directory), CONFIG_FILE), in_git };
}

type Tell = (line: string) => void;
type Defaults = readonly (readonly [flag: string, value: string])[];

/** @throws UsageError */
async function readDefaults({ path, in_git }: ConfigFile, tell: Tell): Promise<Defaults> {
  const { uid } = await lstat(path);
  if (uid !== 0 && uid !== process.getuid?.()) {
    tell(`${path} belongs to another user, so it is not read`);
    return [];
  }
  const said = Object.entries(asRecord(yamlOf(path, await textOf(path, path))) ?? {});
  const stranger = said.find(([flag]) => !SAID.includes(flag))?.[0];
  if (stranger !== undefined)
    throw new UsageError(
      `${path}: does not take "${cut(stranger)}"${didYouMean(stranger, SAID) || `; it takes ${SAID.join(", ")}`}`,
    );
  const left = in_git && isInCi() ? NEVER_FROM_A_CHANGE : [];
  const unread = said.filter(([flag]) => left.includes(flag)).map(([flag]) => flag);
  if (unread.length > 0)
    tell(`${path}: ${unread.join(", ")}: not taken in CI, since whoever writes a change can edit it; give the flag`);
  return said.filter(([flag]) => !left.includes(flag)).map(([flag, value]) => [flag, flagValue(path, flag, value)]);
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
    return parseYaml(text, { maxAliasCount: 0 });
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

/** Names of variables that a file may give. None of them says what program runs, or by what way it is reached. */
const TAKEN = /^[A-Z0-9_]+_(?:API_KEY|BASE_URL|HEADERS)$|^ABEVAL_[A-Z0-9_]+$/;

/** @throws UsageError */
async function takeEnvFile(path: string, tell: Tell): Promise<void> {
  const said = parseEnv(await textOf(path, `--env-file ${path}`));
  const wanted = Object.entries(said).flatMap(([name, value]) =>
    value !== undefined && TAKEN.test(name) ? [[name, value] as const] : [],
  );
  const { taken, left } = takeVariables(wanted);
  if (taken.length > 0) tell(`${path}: ${taken.join(", ")}`);
  if (left.length > 0)
    tell(
      `${path}: not taken: ${left.join(", ")}; an address goes with a key of the same file alone, and the environment is stronger`,
    );
}
