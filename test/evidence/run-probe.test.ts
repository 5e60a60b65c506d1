import { expect, spyOn, test } from "bun:test";
import { openSandbox } from "../../src/arms/sandbox/open-sandbox.ts";
import { openPristine } from "../../src/arms/workspace/pristine.ts";
import { TempWorkspace } from "../../src/arms/workspace/temp-workspace.ts";
import { type ProbeRun, runProbe } from "../../src/comparison/evidence/run-probe.ts";
import type { Probe, ProbeCheck } from "../../src/domain/task.ts";

const never = new AbortController().signal;

const check = (id: string, run: string, changes: Partial<ProbeCheck> = {}): ProbeCheck => ({
  ...{ id, run, before: null, required: false, weight: 1, timeout_s: 10, expect_exit: 0, output_matches: null },
  ...changes,
});

const NOTHING = { files: [], patch: "", digest: "0".repeat(64), truncated: false };
const NOTHING_LEFT = { answer: null, calls: [], decisions: [], changes: NOTHING };

async function probe(checks: readonly ProbeCheck[], arm: string, changes: Partial<ProbeRun> = {}) {
  const files = { "app.sh": "echo wrong\n", "kept.txt": "kept\n" };
  await using pristine = openPristine({ source: { dir: null, files }, sandbox: openSandbox("none"), keep: false });
  await using workspace = pristine.open();
  await workspace.exec({ run: arm, timeout_ms: 5_000, max_output_bytes: 1_000, network: "none" }, never);
  const hidden: Probe = { files: { dir: null, files: {}, digest: "0".repeat(64) }, checks: [...checks] };
  const overlay = { dir: null, files: { "hidden.sh": "sh app.sh\n" } };
  const left = changes.left ?? { ...NOTHING_LEFT, changes: await workspace.changes() };
  const run = { probe: hidden, overlay, protected: [], network: "none", redact: (text: string) => text, left } as const;
  return await runProbe(workspace, { ...run, ...changes }, never);
}

const statuses = ({ checks }: Awaited<ReturnType<typeof probe>>) => checks.map(({ status }) => status);

test("a check passes when its exit code and its text are right, and counts with its weight", async () => {
  const result = await probe(
    [
      check("right", "sh hidden.sh", { output_matches: "right" }),
      check("pattern", "sh hidden.sh", { output_matches: "/^r.*t$/", weight: 2 }),
      check("text", "sh hidden.sh", { output_matches: "other" }),
      check("code", "exit 3", { expect_exit: 3 }),
      check("slow", "sleep 5", { timeout_s: 0.2 }),
    ],
    "echo 'echo right' > app.sh",
  );
  expect(statuses(result)).toEqual(["pass", "pass", "fail", "pass", "error"]);
  expect(result).toMatchObject({ passed: 3, total: 5, score: 4 / 6 });
  expect(result.checks.map(({ reason }) => reason)).toEqual([
    null,
    null,
    'output does not contain "other"',
    null,
    "timed out after 0.2 s",
  ]);
});

test("a text in the part of a long output that is not kept is not said to be missing from it", async () => {
  const run = "head -c 100000 /dev/zero | tr '\\0' a; echo right; head -c 100000 /dev/zero | tr '\\0' a";
  const { checks } = await probe([check("long", run, { output_matches: "right" })], "true");
  expect(checks[0]?.reason).toBe(
    'output does not contain "right" in the 64 kB that are kept of its beginning and end; it printed 195 kB',
  );
});

test("what the code under test does to one check's files, the next does not see", async () => {
  const forging = "printf 'echo forged > hidden.sh; echo wrong' > app.sh";
  const checks = ["first", "second"].map((id) => check(id, "sh hidden.sh", { output_matches: "wrong" }));
  expect(statuses(await probe(checks, forging))).toEqual(["pass", "pass"]);
});

test("protected files are put back first, and the result names them", async () => {
  const result = await probe([check("kept", "grep -x kept kept.txt")], "echo changed > kept.txt", {
    protected: ["kept.txt"],
  });
  expect(statuses(result)).toEqual(["pass"]);
  expect(result.restored).toEqual(["kept.txt"]);
});

test("work that cannot be copied passes no check, and is no fault of ours", async () => {
  const holes = "for n in 1 2 3 4 5 6 7 8 9; do truncate -s 250M f$n; done";
  const forks = spyOn(TempWorkspace.prototype, "fork");
  const result = await probe([check("any", "true"), check("other", "true")], holes, { left: NOTHING_LEFT });
  const tries = forks.mock.calls.length;
  forks.mockRestore();
  const why = "The files of the workspace are 2359296016 bytes long together; at most 2147483648 are copied.";
  expect(result.checks.map(({ status, reason }) => [status, reason])).toEqual([
    ["error", why],
    ["error", why],
  ]);
  // Another try would take as long, and end the same.
  expect([result.score, tries]).toEqual([0, 1]);
});
