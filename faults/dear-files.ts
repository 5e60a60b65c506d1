import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionOutcome } from "../src/domain/session.ts";
import type { Served } from "../test/http/served.ts";
import { serve } from "../test/http/served.ts";
import { jsonPost } from "../test/http/service.ts";
import { dockerArchive, type LayerEntry, layerOf } from "../test/image/make-image.ts";
import { type Campaign, type Case, hold } from "./campaign.ts";
import { type CaseDirectories, openCaseDirectories } from "./case-directories.ts";
import { type Figures, printFigures, watched } from "./watched.ts";

/** A server at rest has about 150 MB. */
const MOST = { memory_mb: 300 };

/** Files whose parts multiply: a patch by its file, links by entries, rows by columns, pictures by those who ask. */
export const campaign: Campaign = {
  about: "patches, images, tables and pictures that are dear",
  at_once: 1,
  cases: async ({ shared }) => {
    const rows: Figures[] = [];
    shared.defer(() => printFigures("file", rows));
    return FILES.map((file) => fileCase(file, rows));
  },
};

interface DearFile {
  readonly name: string;
  /** What lies beside the scenario, which is returned. */
  readonly lay: (directory: string) => object;
  readonly ask: (url: string) => Promise<void>;
}

const fileCase = ({ name, lay, ask }: DearFile, rows: Figures[]): Case => ({
  name,
  async run() {
    using directories = openCaseDirectories();
    const scenarios = join(directories.path, "scenarios");
    mkdirSync(scenarios);
    // JSON is YAML.
    writeFileSync(join(scenarios, "dear.yaml"), JSON.stringify({ ...SCENARIO, ...lay(scenarios) }));
    await using served = await begun(directories, scenarios);
    await watched({ name, served, directory: directories.path, rows }, () => ask(served.url), MOST);
  },
});

const begun = (directories: CaseDirectories, scenarios: string): Promise<Served> =>
  serve(["--scenarios-dir", scenarios, "--state-dir", directories.state, "--log", "none"], {
    TMPDIR: directories.scratch,
    XDG_CACHE_HOME: join(directories.path, "cache"),
  });

const rests = ["left", "right"].map((id) => ({ id, model: `scripted/${id}`, script: [{ say: "Done." }] }));
const SCENARIO = {
  name: "dear",
  task: { prompt: "Do it." },
  arms: rests,
  rubric: { criteria: [{ id: "turns", measure: "turns" }], judge: { model: "builtin/evidence" } },
};

const run = (url: string) => fetch(`${url}/api/runs`, jsonPost({ scenario: "dear" }));

/** A run that ends because of its files, with these words. */
const endsWith = (words: string) => async (url: string) => {
  const told = await (await run(url)).text();
  hold(told.includes(words), `a run that ends with ${words}`, told);
};

const EQUAL = 40_000;

/** The change of a run that was made elsewhere, over one file. */
const imported = (directory: string, patch: string, before: string) => {
  writeFileSync(join(directory, "change.patch"), patch);
  writeFileSync(join(directory, "answer.txt"), "Done.\n");
  const theirs = { id: "left", ran: { change: "change.patch", answer: "answer.txt" } };
  return { task: { ...SCENARIO.task, fixture: { files: { a: before } } }, arms: [theirs, rests[1]] };
};

const image = (directory: string, entries: readonly LayerEntry[]) => {
  writeFileSync(
    join(directory, "task.tar"),
    dockerArchive({ layers: [layerOf(entries)], config: { WorkingDir: "/w" } }),
  );
  return { task: { ...SCENARIO.task, image: "task.tar" }, arms: [{ ...rests[0], script: COMMAND }, rests[1]] };
};

const COMMAND = [{ calls: [{ run_command: { command: "true" } }] }, { say: "Done." }];

const link = (path: string, to: string): LayerEntry => ({ path, type: "SymbolicLink", link: "d/../".repeat(18) + to });

/** Hard links to a file behind so many links. */
const behind = (links: number, count: number): readonly LayerEntry[] => [
  { path: "d", type: "Directory" },
  { path: "target", text: "x" },
  ...Array.from({ length: links }, (_, n) => link(`l${n}`, n === 0 ? "" : `l${n - 1}`)),
  ...Array.from({ length: count }, (_, n): LayerEntry => {
    return { path: `h${n}`, type: "Link", link: `l${links - 1}/target` };
  }),
];

/** Forty who ask for the picture of one session at the same moment, and again with its tag. */
async function askForPictures(url: string): Promise<void> {
  const { session_id } = (await (await run(url)).json()) as SessionOutcome;
  const path = `${url}/api/sessions/${session_id}/card.png`;
  const answers = await Promise.all(Array.from({ length: 40 }, () => fetch(path)));
  hold(
    answers.every(({ status }) => status === 200),
    "forty pictures",
    answers.map(({ status }) => status),
  );
  const known = await fetch(path, { headers: { "if-none-match": answers[0]?.headers.get("etag") ?? "" } });
  hold(known.status === 304, "no picture for who has it", known.status);
}

/** A table of many columns as the results of runs elsewhere. */
async function sendTable(url: string): Promise<void> {
  const names = Object.fromEntries(Array.from({ length: 900 }, (_, n) => [`name_${n}`, n % 3]));
  const rows = Array.from({ length: 400 }, (_, n) =>
    JSON.stringify({ scenario: `s${n >> 1}`, arm: n % 2 ? "a" : "b", passed: n % 3 === 0, ...names }),
  );
  const headers = { "content-type": "application/x-ndjson" };
  const response = await fetch(`${url}/api/series/results`, { method: "POST", headers, body: rows.join("\n") });
  hold(response.ok, "a series of results", await response.text());
}

const FILES: readonly DearFile[] = [
  {
    name: `a hunk of ${EQUAL} equal lines, a file of them`,
    lay: (directory) => {
      const hunk = `@@ -1,${EQUAL} +1,${EQUAL} @@\n${" x\n".repeat(EQUAL - 1)}-y\n+z\n`;
      return imported(directory, `--- a/a\n+++ b/a\n${hunk}`, "x\n".repeat(EQUAL));
    },
    ask: endsWith("does not apply"),
  },
  {
    name: "a patch of 1.8 MB of headers",
    lay: (directory) => imported(directory, "diff --git a/x b/x\n".repeat(95_000), "x\n"),
    ask: endsWith("touches no file"),
  },
  {
    name: "an image of 38 links along links",
    lay: (directory) => image(directory, behind(38, 5_000)),
    ask: endsWith("lead along more than 1000 directories"),
  },
  {
    name: "an image of 20 such links, 1,000 entries",
    lay: (directory) => image(directory, behind(20, 1_000)),
    ask: endsWith("has no /bin/sh"),
  },
  {
    name: "an image that empties its directory of 20,000 files",
    lay: (directory) => {
      const files = Array.from({ length: 20_000 }, (_, n): LayerEntry => ({ path: `d/f${n}`, text: "" }));
      return image(directory, [...files, { path: "d/.wh..wh..opq", text: "" }]);
    },
    ask: endsWith("has no /bin/sh"),
  },
  { name: "a table of 400 rows and 900 columns", lay: () => ({}), ask: sendTable },
  { name: "forty who ask for one picture", lay: () => ({}), ask: askForPictures },
];
