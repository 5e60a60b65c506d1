import { CHANGED_FILE_BYTES } from "../../../domain/defaults.ts";
import { asRecord, asText, dig, parseJson } from "../../../domain/lenient.ts";
import { type DraftCheck, PLACEHOLDER } from "../draft-scenario.ts";
import { textOfBlob } from "../git/git-files.ts";
import { gitOutput } from "../git/run-git.ts";
import { blobsOf, fileIn, type TreeFile } from "../git/tree.ts";
import type { Repository } from "../repository.ts";

/** Directories and file names of tests in common languages. */
const DIRECTORIES = /(^|\/)(tests?|__tests__|specs?|testdata|__snapshots__)\//i;
const NAMES =
  /(^|\/)(test_[^/]*\.py|[^/]*_test\.(py|go|rb|exs?)|conftest\.py|[^/]*[._-](test|spec)\.[cm]?[jt]sx?|[^/]*_spec\.rb|[^/]*Tests?\.(java|kt|cs|php))$/;

/** Whether a file is there to test others. */
export const isTestFile = (path: string): boolean => DIRECTORIES.test(path) || NAMES.test(path);

/** The command that most likely runs the tests of one file; null for a file that is no test, such as data. */
interface TestCommand {
  readonly run: string;
  /** Steps that run once before, with the network open. */
  readonly setup: readonly string[];
}

/** What is known of the repository before the fix. */
export type Repertoire = PackageFiles;

/** @returns null for a file that runs no test */
export function testCommand(path: string, text: string, repertoire: Repertoire): TestCommand | null {
  const file = quoted(path);
  if (path.endsWith(".py")) return python(path, text, { file, repertoire });
  if (path.endsWith("_test.go")) return { run: `go test ./${quoted(directoryOf(path))}`, setup: [] };
  if (path.endsWith(".rs")) return { run: "cargo test", setup: [] };
  if (/\.[cm]?[jt]sx?$/.test(path)) return javascript(text, file, repertoire);
  return /_(test|spec)\.(rb|exs?)$|Tests?\.(java|kt|cs|php)$/.test(path) ? { run: PLACEHOLDER, setup: [] } : null;
}

interface Subject {
  /** Quoted. */
  readonly file: string;
  readonly repertoire: Repertoire;
}

function python(path: string, text: string, { file, repertoire }: Subject): TestCommand | null {
  if (!/(^|\/)(test_[^/]*|[^/]*_test|tests)\.py$/.test(path)) return null;
  // Functions outside a class are collected by pytest alone.
  const isUnittest = /\bunittest\b/.test(text) && !/^[ \t]*import pytest|^from pytest|^(async )?def test/m.test(text);
  const { python: program, setup } = pythonEnvironment(repertoire);
  return { run: `${program} -m ${isUnittest ? "unittest" : "pytest -q"} ${file}`, setup };
}

function javascript(text: string, file: string, repertoire: Repertoire): TestCommand | null {
  if (!/\b(test|it|describe|suite)\b/.test(text)) return null;
  const { dependencies, runner, script } = readManifest(repertoire.manifest);
  const setup = dependencies ? nodeSteps(repertoire) : [];
  if (/["']bun:test["']/.test(text)) return { run: `bun test ${file}`, setup };
  if (/["']node:test["']/.test(text)) return { run: `node --test ${file}`, setup };
  if (runner !== null) return { run: runner === "vitest" ? `npx vitest run ${file}` : `npx ${runner} ${file}`, setup };
  if (script?.startsWith("bun test")) return { run: `bun test ${file}`, setup };
  return { run: script === null ? PLACEHOLDER : "npm test", setup };
}

interface Manifest {
  readonly dependencies: boolean;
  readonly runner: string | null;
  readonly script: string | null;
}

function readManifest(text: string | null): Manifest {
  // A broken manifest is reported better by the program that needs it.
  const manifest = parseJson(text ?? "{}");
  const names = ["dependencies", "devDependencies"].flatMap((key) => Object.keys(asRecord(dig(manifest, key)) ?? {}));
  return {
    dependencies: names.length > 0,
    runner: ["vitest", "jest", "mocha", "ava", "tap"].find((name) => names.includes(name)) ?? null,
    script: asText(dig(manifest, "scripts", "test")) ?? null,
  };
}

/** Top-level files that configure a test runner. An arm that may change them can make every check pass. */
const STEERING =
  /^(package\.json|bunfig\.toml|tsconfig\.json|(vitest|jest)\.config\.[cm]?[jt]s|pyproject\.toml|setup\.cfg|tox\.ini|pytest\.ini|conftest\.py|go\.mod|Cargo\.toml)$/;

/** Top-level paths that arms should not change, without those that the reference fix changes. */
export const steeringFiles = ({ top }: Repertoire, fixed: readonly string[]): string[] =>
  [...top].filter((path) => STEERING.test(path) && !fixed.includes(path)).sort();

const directoryOf = (path: string) => (path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : ".");

const quoted = (word: string) => (/^[\w./@+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** What says how a repository's packages are installed. */
interface PackageFiles {
  /** Paths at its top. */
  readonly top: ReadonlySet<string>;
  /** Text of `package.json`; null without one. */
  readonly manifest: string | null;
  /** How lock files begin whose form depends on the version of their program, by their name. */
  readonly locks: Readonly<Record<string, string>>;
}

type Manager = "bun" | "npm" | "pnpm" | "yarn";

const LOCKS: Readonly<Record<string, Manager>> = {
  "bun.lock": "bun",
  "bun.lockb": "bun",
  "pnpm-lock.yaml": "pnpm",
  "package-lock.json": "npm",
  "npm-shrinkwrap.json": "npm",
  "yarn.lock": "yarn",
};

/**
 * The setup steps that install the packages of a `package.json` exactly as its lock file says. Programs that few machines have
 * below /usr are fetched, in the version that wrote the lock file.
 */
export function nodeSteps({ top, manifest, locks }: PackageFiles): readonly string[] {
  const named = /^(npm|pnpm|yarn|bun)@(\d+\.\d+\.\d+)/.exec(
    asText(dig(parseJson(manifest ?? "{}"), "packageManager")) ?? "",
  );
  const found = Object.entries(LOCKS).filter(([lock]) => top.has(lock));
  const [lock, manager] = found.find(([, one]) => one === named?.[1]) ?? found[0] ?? [];
  const version = named?.[1] === manager ? named?.[2] : undefined;
  const head = locks[lock ?? ""] ?? "";
  switch (manager) {
    case undefined:
      return ["npm install"];
    case "npm":
      return ["npm ci"];
    case "bun":
      return ["bun install --frozen-lockfile"];
    case "pnpm":
      // Its own choice of a store would be the workspace, which every arm copies.
      return [`npx --yes pnpm@${version ?? pnpmFor(head)} install --frozen-lockfile --store-dir ~/.pnpm-store`];
    case "yarn":
      return [yarn(version, head)];
  }
}

/** The versions that wrote the form of a lock file. */
const pnpmFor = (head: string) => ({ "5": "7", "6": "8" })[/lockfileVersion: '?(\d+)/.exec(head)?.[1] ?? ""] ?? "9";
/** Later ones of 4 write another form, and refuse to keep this one as it is. */
const yarnFor = (head: string) =>
  ({ "6": "3", "8": "4.9.2" })[/__metadata:\s+version: (\d+)/.exec(head)?.[1] ?? ""] ?? "4";

function yarn(version: string | undefined, head: string): string {
  const isClassic = version?.startsWith("1.") ?? !head.includes("__metadata:");
  // Like npm, yarn then only warns when a package wants a newer Node.
  if (isClassic) return `npx --yes yarn@${version ?? "1"} install --frozen-lockfile --ignore-engines`;
  // Its other ways to install leave packages in HOME, which is gone when the checks run.
  const settings = "YARN_NODE_LINKER=node-modules YARN_ENABLE_GLOBAL_CACHE=true";
  return `${settings} npx --yes @yarnpkg/cli-dist@${version ?? yarnFor(head)} install --immutable`;
}

/** How a Python repository is installed from its lock file, and the Python that then runs its tests. */
interface PythonEnvironment {
  readonly setup: readonly string[];
  readonly python: string;
}

/** How to install from the lock file of uv or poetry. Without one nothing is installed. */
export function pythonEnvironment({ top }: Pick<PackageFiles, "top">): PythonEnvironment {
  const python = ".venv/bin/python";
  if (top.has("uv.lock"))
    // A Python that uv fetches must lie where the checks find it.
    return { setup: [fetched("uv"), withFetched('UV_PYTHON_INSTALL_DIR="$PWD/.python" uv sync --frozen')], python };
  if (top.has("poetry.lock"))
    return {
      setup: [fetched("poetry"), withFetched("POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --no-interaction")],
      python,
    };
  return { setup: [], python: "python3" };
}

/** Makes a program available that the sandbox may lack. */
const fetched = (program: string) =>
  `command -v ${program} || { python3 -m venv ~/.tools && ~/.tools/bin/pip install --quiet ${program}; }`;

const withFetched = (command: string) => `PATH="$PATH:$HOME/.tools/bin" ${command}`;

/** Bytes of the names at the top of a repository. */
const TOP_BYTES = 1024 * 1024;

/** What a tree of a repository says of its tests and packages. */
export async function repertoireAt(repository: Repository, id: string): Promise<Repertoire> {
  const { output } = await gitOutput(repository.git_dir, ["ls-tree", "-z", "--name-only", "--full-tree", id], {
    maxBytes: TOP_BYTES,
  });
  const manifest = await fileIn(repository.git_dir, id, "package.json");
  return {
    top: new Set(output.toString().split("\0")),
    manifest: manifest === null ? null : await textOfBlob(repository, manifest, CHANGED_FILE_BYTES),
    locks: await headsOf(repository, id, VERSIONED_LOCKS),
  };
}

/** Lock files of which the beginning counts. */
const VERSIONED_LOCKS: readonly string[] = ["yarn.lock", "pnpm-lock.yaml"];

/** How files of a tree begin, by their path; without those that are not there. */
async function headsOf({ git_dir }: Repository, tree: string, paths: readonly string[]) {
  const heads: Record<string, string> = {};
  for (const path of paths) {
    const file = await fileIn(git_dir, tree, path);
    if (file?.kind === "file") heads[path] = await headOf(git_dir, file);
  }
  return heads;
}

async function headOf(git_dir: string, file: TreeFile): Promise<string> {
  for await (const { pieces } of blobsOf(git_dir, [file]))
    for await (const piece of pieces) return new TextDecoder().decode(piece.subarray(0, HEAD_BYTES));
  return "";
}

/** A lock file tells its form in the first lines. */
const HEAD_BYTES = 1_024;

interface Commands {
  readonly checks: readonly DraftCheck[];
  readonly setup: readonly string[];
}

export interface TestText {
  readonly path: string;
  readonly text: string;
}

/** One check for each command. A command for a whole directory covers all its files. */
export function commandsOf(tests: readonly TestText[], repertoire: Repertoire): Commands {
  const checks = new Map<string, DraftCheck>();
  const setup = new Set<string>();
  for (const { path, text } of tests) {
    const command = testCommand(path, text, repertoire);
    if (command === null) continue;
    if (!checks.has(command.run)) checks.set(command.run, { run: command.run, file: path });
    for (const step of command.setup) setup.add(step);
  }
  const [first] = tests;
  if (checks.size === 0 && first !== undefined) checks.set(PLACEHOLDER, { run: PLACEHOLDER, file: first.path });
  return { checks: [...checks.values()], setup: [...setup] };
}
