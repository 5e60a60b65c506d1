import { asRecord, asText, dig, parseJson } from "../../../domain/lenient.ts";
import { PLACEHOLDER } from "../draft-scenario.ts";
import { nodeSteps, type PackageFiles, pythonEnvironment } from "./install-steps.ts";

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
