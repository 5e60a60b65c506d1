import { existsSync } from "node:fs";
import { readShell } from "../../../arms/policy/shell-commands.ts";
import { makeScratch } from "../../../arms/sandbox/home.ts";
import type { Sandbox } from "../../../arms/sandbox/sandbox.ts";
import { Failure } from "../../../domain/failure.ts";
import type { Scenario } from "../../../domain/scenario.ts";
import type { ProbeCheck } from "../../../domain/task.ts";
import { cannotRun } from "../../evidence/could-not-run.ts";
/**
 * Refuses a scenario with a check that cannot run, where that is certain: its program is named by a bare name, no step of a
 * setup could install it, and the sandbox does not have it. What an image has is not looked at. No arm could: what its PATH names is read-only.
 * @throws Failure `invalid_request` naming each such check
 */
export async function demandPrograms(sandbox: Sandbox, { task }: Scenario): Promise<void> {
  if (sandbox.kind !== "bubblewrap" || task.setup.length > 0 || task.image || task.probe === null) return;
  const needed = task.probe.checks.map((check) => ({ check, names: programsOf(check) }));
  const missing = await missingIn(sandbox, new Set(needed.flatMap(({ names }) => names)));
  const lines = needed.flatMap(({ check, names }) => {
    const name = names.find((one) => missing.has(one));
    const why = name === undefined ? null : cannotRun({ exit_code: NOT_FOUND, output: `sh: 1: ${name}: not found` });
    return why === null ? [] : [`check ${check.id} cannot run: ${why}`];
  });
  if (lines.length > 0) throw new Failure("invalid_request", lines.join("\n"));
}

/** A shell's status for a command that it does not find. */
const NOT_FOUND = 127;

/** What can make a shell run something, or leave it out, in another way than one after the other. */
const UNCERTAIN = /[|;\n(){}<>`$!#*?[\]~\\]|(?<!&)&(?!&)/;

/** Built into the shell, and able to change what a name stands for. */
const CHANGING: ReadonlySet<string> = new Set([
  ".",
  "source",
  "eval",
  "exec",
  "export",
  "alias",
  "set",
  "hash",
  "enable",
]);

/** The programs without which a check fails for certain. Empty where a line leaves any doubt. */
function programsOf({ run, expect_exit }: ProbeCheck): readonly string[] {
  if (run === undefined || expect_exit === NOT_FOUND || UNCERTAIN.test(run)) return [];
  const { commands, unread } = readShell(run);
  const names = commands.map(({ words, written, raw }) => (written === raw ? (words[0]?.plain ?? "") : ""));
  const isPlain = (name: string) => /^[A-Za-z0-9_][\w.+-]*$/.test(name) && !CHANGING.has(name);
  return unread === null && names.every(isPlain) ? names : [];
}

/** Directories that every sandbox shows at their own paths, and that are on every PATH in one. */
const SHOWN = ["/usr/local/bin", "/usr/bin"];

/** What was found in a sandbox, so that each trial of a series does not look anew. */
const found = new WeakMap<Sandbox, Set<string>>();

async function missingIn(sandbox: Sandbox, names: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  const known = found.get(sandbox) ?? new Set();
  found.set(sandbox, known);
  const isThere = (name: string) => known.has(name) || SHOWN.some((directory) => existsSync(`${directory}/${name}`));
  const unknown = [...names].filter((name) => !isThere(name));
  if (unknown.length === 0) return new Set();
  await using scratch = makeScratch(sandbox.owner);
  const limits = { timeout_ms: LOOK_MS, max_output_bytes: 1_000_000, network: "none" } as const;
  const run = unknown.map((name) => `command -v '${name}' >/dev/null || echo '${name}'`).join("\n");
  const { output } = await sandbox.run({ run, directory: scratch.home, ...limits }, new AbortController().signal);
  const missing = new Set(output.split("\n").filter((name) => names.has(name)));
  for (const name of unknown) if (!missing.has(name)) known.add(name);
  return missing;
}

/** Milliseconds for a look that takes some dozen. */
const LOOK_MS = 20_000;
