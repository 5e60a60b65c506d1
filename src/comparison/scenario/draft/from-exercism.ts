import { basename, dirname, extname, join } from "node:path";
import { cut } from "../../../domain/excerpt.ts";
import { asRecord, asText } from "../../../domain/lenient.ts";
import { plainText } from "../../../domain/plain-text.ts";
import { type Draft, type DraftCheck, PLACEHOLDER } from "../draft-scenario.ts";
import { Unusable } from "../unusable.ts";
import { copied, jsonOf, type Material, type SourceFile, taskFiles, textIfThere, textOf } from "./material.ts";
import type { Note } from "./noted-document.ts";
import { testCommand } from "./test-files.ts";

export const EXERCISM_MARKER = ".meta/config.json";

/** An exercise: its stub is the fixture, its tests are hidden, its example solution is the reference. @throws Unusable */
export async function draftFromExercism(directory: string, name: string): Promise<Draft> {
  const files = await taskFiles(directory);
  const config = await jsonOf(directory, EXERCISM_MARKER);
  const roles = rolesOf(config["files"], files);
  const visible = files.filter(({ path }) => !HIDDEN.test(path) && !roles.test.includes(path));
  const { checks, setup, material } = await testsOf(directory, files, roles.test);
  const reference = referenceFiles(files, roles);
  return {
    name,
    title: cut(plainText(asText(config["blurb"]) ?? "").trim(), TITLE_CHARS) || name,
    origin: `the exercise ${basename(directory)}`,
    form: "exercism",
    prompt: await promptOf(directory, files, roles.solution),
    setup,
    checks,
    reference: reference.length > 0 ? { kind: "files" } : null,
    protected: [],
    named: [],
    questions: [],
    notes: NOTES,
    material: [...copied(visible, "fixture"), ...material, ...reference],
  };
}

const TITLE_CHARS = 120;

/** What belongs to the track and not to the student. */
const HIDDEN = /^\.(meta|docs|articles|approaches|exercism)\/|^(README|HELP|HINTS)\.md$/;

const NOTES: readonly Note[] = [
  { path: ["task", "prompt"], text: "The exercise's instructions. Its tests are hidden; arms see the stub." },
];

interface Roles {
  readonly solution: readonly string[];
  readonly test: readonly string[];
  readonly example: readonly string[];
}

/** @throws Unusable when the configuration names no tests or no solution, or files that are not there */
function rolesOf(given: unknown, files: readonly SourceFile[]): Roles {
  const listed = (role: string) => {
    const paths = asRecord(given)?.[role];
    return Array.isArray(paths) ? paths.flatMap((path) => asText(path) ?? []) : [];
  };
  const roles = {
    solution: listed("solution"),
    test: listed("test"),
    example: [...listed("example"), ...listed("exemplar")],
  };
  if (roles.test.length === 0) throw new Unusable("names no tests");
  if (roles.solution.length === 0) throw new Unusable("names no file of the solution");
  const there = new Set(files.map(({ path }) => path));
  const absent = [...roles.test, ...roles.example].find((path) => !there.has(path));
  if (absent !== undefined) throw new Unusable(`names ${JSON.stringify(cut(absent))}, which is not there`);
  return roles;
}

async function promptOf(directory: string, files: readonly SourceFile[], solution: readonly string[]): Promise<string> {
  const parts: string[] = [];
  for (const page of ["introduction", "introduction.append", "instructions", "instructions.append"]) {
    const text = await textIfThere(directory, files, `.docs/${page}.md`);
    if (text !== undefined) parts.push(text.trim());
  }
  if (parts.length === 0) throw new Unusable("has no instructions");
  const named = solution.map((path) => `\`${path}\``).join(", ");
  return `${plainText(parts.join("\n\n"))}\n\nWrite the solution in ${named}. Keep the names that stand there.\n`;
}

async function testsOf(directory: string, files: readonly SourceFile[], tests: readonly string[]) {
  const top = new Set(files.map(({ path }) => path.split("/")[0] ?? ""));
  const manifest = (await textIfThere(directory, files, "package.json")) ?? null;
  const material: Material[] = [];
  const checks = new Map<string, DraftCheck>();
  const setup = new Set<string>();
  for (const path of tests) {
    const text = unskipped(path, await textOf(directory, path));
    material.push({ path: `probe/${path}`, text });
    const command = commandOf(path, text, { top, manifest, locks: {} });
    if (command === null) continue;
    if (command.run === PLACEHOLDER) throw new Unusable(`has tests that no known command runs (${extname(path)})`);
    checks.set(command.run, { run: command.run, file: path });
    for (const step of command.setup) setup.add(step);
  }
  if (checks.size === 0) throw new Unusable(`has tests that no known command runs (${extname(tests[0] ?? "")})`);
  return { checks: [...checks.values()], setup: [...setup], material };
}

/** Bun runs what is written for Jest without installing it. */
function commandOf(path: string, text: string, repertoire: Parameters<typeof testCommand>[2]) {
  if (/["']@jest\/globals["']/.test(text)) return { run: `bun test ./${path}`, setup: [] };
  const command = testCommand(path, text, repertoire);
  if (command?.run.startsWith("python3 -m pytest"))
    return { run: command.run.replace("python3", ".venv/bin/python"), setup: [WITH_PYTEST] };
  return command;
}

const WITH_PYTEST = "python3 -m venv .venv && .venv/bin/pip install --quiet pytest";

/** Tracks skip all tests but the first, so that students go one step at a time. */
function unskipped(path: string, text: string): string {
  if (/\.[cm]?[jt]sx?$/.test(path))
    return text
      .replace(/\bx(test|it|describe)(?=\s*[.(])/g, "$1")
      .replace(/\b(test|it|describe)\.skip(?=\s*[.(])/g, "$1");
  return path.endsWith(".rs") ? text.replace(/^[ \t]*#\[ignore[^\]\n]*\][ \t]*$/gm, "") : text;
}

/** The example files in the places of the solution's: by their ending, in their order. @throws Unusable */
function referenceFiles(files: readonly SourceFile[], { solution, example }: Roles): Material[] {
  const free = [...solution];
  return example.map((path) => {
    const at = free.findIndex((one) => extname(one) === extname(path));
    const target = at < 0 ? join(dirname(solution[0] ?? ""), basename(path)) : free.splice(at, 1)[0];
    const found = files.filter((file) => file.path === path);
    const [one] = copied(found, "reference", () => target ?? path);
    if (one === undefined) throw new Unusable(`names ${JSON.stringify(cut(path))}, which is not there`);
    return one;
  });
}
