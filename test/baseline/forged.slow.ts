import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { blessedLines } from "../../src/comparison/session/baseline.ts";
import { readBundle } from "../../src/comparison/session/read-bundle.ts";
import type { BlessedRun } from "../../src/domain/baseline.ts";
import { sha256 } from "../../src/domain/sha256.ts";
import { serveAnswers } from "../endpoint/served-answer.ts";
import { testServices } from "../harness.ts";
import { failureOf, scenarioFolder } from "../scenario/scenario-folder.ts";
import { seriesOf } from "./scored.ts";

type Run = (typeof BlessedRun)["static"];
type StoredArm = Run["arms"][number];

const writes = (content: string) => [
  { calls: [{ write_file: { path: "new.txt", content } }] },
  { calls: [{ write_file: { path: "gone.txt", content: `${content}two\n` } }] },
  { calls: [{ run_command: { command: "chmod +x kept.txt new.txt" } }] },
  { say: `I wrote ${content}` },
];

const arm = (id: string, content: string) => ({ id, model: `scripted/${id}`, script: writes(content) });

const scenario = (candidate: string, checks: readonly object[] = []) =>
  JSON.stringify({
    name: "fixed",
    task: {
      prompt: "Fix it.",
      fixture: { files: { "gone.txt": "one\n", "kept.txt": "kept\n" } },
      probe: {
        checks: [
          { id: "fixed", run: "grep -q fixed new.txt", before: "fail" },
          { id: "kept", run: "test -f kept.txt", before: "pass" },
          ...checks,
        ],
      },
    },
    arms: [arm("old", "fixed\n"), arm("new", candidate)],
    rubric: { criteria: [{ measure: "probe_score" }], judge: { model: "builtin/evidence" } },
  });

/** A blessed series of two trials, and a way to start a series on it, as it is or edited by somebody who knows the format. */
async function blessed(checks: readonly object[] = []) {
  const folder = await scenarioFolder({ "fixed.yaml": scenario("other\n", checks) });
  const services = testServices();
  const { record } = await seriesOf(services, folder.path("fixed.yaml"), { trials: 2, seed: "s" });
  const lines: string[] = [];
  for await (const line of blessedLines(services, record.series_id)) lines.push(line);
  await folder.write("fixed.yaml", scenario("fixed\nmore\n", checks));
  const start = async (edit: (arm: StoredArm) => void = () => undefined, pin = "") => {
    const edited = lines.slice(0, -1).map((line) => {
      const value = JSON.parse(line);
      if (value.type !== "run") return line;
      edit((value as Run).arms[0] as StoredArm);
      return `${JSON.stringify(value)}\n`;
    });
    const body = edited.join("");
    const text = `${body}${JSON.stringify({ type: "end", digest: sha256(body) })}\n`;
    await folder.write("base.jsonl", text);
    const named = `${folder.path("base.jsonl")}${pin && `@sha256:${sha256(text)}`}`;
    const baseline = await readBundle(named, { kept: folder.path("checked") });
    return await seriesOf(testServices(), folder.path("fixed.yaml"), { trials: 2, seed: "t", baseline });
  };
  return { folder, start, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

test("stored results that the stored changes give are believed, and each run is looked at once", async () => {
  await using base = await blessed();
  const { series } = await base.start();
  expect(series.counts).toMatchObject({ trials: 2, ties: 2 });
  const kept = await readdir(base.folder.path("checked"));
  expect(kept).toHaveLength(2);
  for (const name of kept) await writeFile(base.folder.path(`checked/${name}`), "seen");
  await base.start();
  for (const name of kept) expect(await Bun.file(base.folder.path(`checked/${name}`)).text()).toBe("seen");
});

test.each<[string, string, (arm: StoredArm) => void]>([
  [
    "a passed check became a failed one",
    "fixed was failed, and is not now",
    ({ summary: { probe } }) => {
      const [check] = probe?.checks ?? [];
      if (!probe || !check) return;
      Object.assign(check, { status: "fail", exit_code: 1, reason: "exit code 1, expected 0" });
      Object.assign(probe, { score: 0.5, passed: 1 });
    },
  ],
  ["all checks are gone", "it has none", ({ summary }) => Object.assign(summary, { probe: null })],
  [
    "one check is gone",
    "fixed is missing",
    ({ summary: { probe } }) => void (probe && Object.assign(probe, { checks: probe.checks.slice(1) })),
  ],
  [
    "the sum is another one",
    "their sum is wrong",
    ({ summary: { probe } }) => void (probe && Object.assign(probe, { score: 0 })),
  ],
  [
    "a check weighs less",
    "fixed is another check",
    ({ summary: { probe } }) => void Object.assign(probe?.checks[0] ?? {}, { weight: 0.001 }),
  ],
])("a bundle in which %s is refused, naming the run", async (_, words, edit) => {
  await using base = await blessed();
  const { code, message } = await failureOf(base.start(edit));
  expect(code).toBe("invalid_request");
  expect(message).toContain(words);
  expect(message).toMatch(/base\.jsonl: is not believed: in session-\S+ old has other results of fixed/);
  expect(existsSync(base.folder.path("checked"))).toBe(false);
});

test("a change that is not stored whole is believed only of a file that is pinned", async () => {
  await using base = await blessed();
  const cut = ({ summary: { changes } }: StoredArm) => void Object.assign(changes?.files[0] ?? {}, { after: null });
  const { message } = await failureOf(base.start(cut));
  expect(message).toContain("a file of its change is not stored as it was; trust this file by its digest");
  const { series } = await base.start(cut, "pinned");
  expect(series.counts.trials).toBe(2);
});

test("a path in a stored change that leads out of the workspace writes nothing there", async () => {
  await using base = await blessed();
  const out = ({ summary: { changes } }: StoredArm) =>
    void Object.assign(changes?.files[0] ?? {}, { path: "../escaped.txt" });
  expect((await failureOf(base.start(out))).message).toContain("is not stored as it was");
});

test("a file that became executable is executable when its checks run again", async () => {
  await using base = await blessed([{ id: "runs", run: "test -x kept.txt && test -x new.txt", before: "fail" }]);
  const { series } = await base.start(({ summary }) => {
    expect(summary.changes?.mode_changed).toEqual(["kept.txt", "new.txt"]);
  });
  expect(series.counts).toMatchObject({ trials: 2, ties: 2 });
});

test("nobody is asked for a file that somebody sent: what it says of a posted check is left as it is", async () => {
  await using server = serveAnswers(() => Response.json({ pass: true }));
  await using base = await blessed([{ id: "asked", posted: { url: server.url, version: "1" } }]);
  // Two trials of two arms.
  expect(server.asked.length).toBe(4);
  await base.start();
  // Two trials of the arm that runs.
  expect(server.asked.length).toBe(6);
});
