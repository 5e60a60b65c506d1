import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ScriptCall } from "../src/domain/arm.ts";
import type { SessionOutcome } from "../src/domain/session.ts";
import { serve } from "../test/http/served.ts";
import { jsonPost } from "../test/http/service.ts";
import { type Campaign, type Case, hold } from "./campaign.ts";
import { type CaseDirectories, openCaseDirectories } from "./case-directories.ts";
import { type Figures, printFigures, watched } from "./watched.ts";

interface Attack {
  readonly name: string;
  readonly calls: readonly ScriptCall[];
  /** Commands that no arm of the scenario may run. */
  readonly deny?: readonly string[];
}

/** Arms that use up the server's time, memory or disk. Each runs beside an honest arm, which has to win. */
export const campaign: Campaign = {
  about: "hostile arms, through the API of a server",
  at_once: 1,
  cases: async ({ shared }) => {
    const rows: Figures[] = [];
    shared.defer(() => printFigures("attack", rows));
    return ATTACKS.map((attack) => attackCase(attack, rows));
  },
};

const command = (text: string): ScriptCall => ({ run_command: { command: text } });
const program = (text: string) => command(`bun -e '${text}'`);

const STARS = `${"*a".repeat(14)}*b`;
const LISTED: readonly ScriptCall[] = [{ list_files: {} }, { search_files: { pattern: "(x+)+y" } }];

const ATTACKS: readonly Attack[] = [
  {
    name: "globs of stars",
    calls: [
      { write_file: { path: "a".repeat(60), content: "x" } },
      { list_files: { pattern: STARS } },
      { search_files: { pattern: "x", path: STARS } },
    ],
  },
  { name: "a chain of wrappers", calls: [command(`${"sudo ".repeat(23_000)}x`)], deny: ["curl *"] },
  { name: "sparse files of 10 GB", calls: [command("for n in $(seq 40); do truncate -s 250M s$n; done"), ...LISTED] },
  {
    name: "one file by many names",
    calls: [command("head -c 120M /dev/zero | tr '\\0' x > f; for n in $(seq 20); do ln f l$n; done"), ...LISTED],
  },
  {
    name: "files of nothing but lines",
    calls: [
      program('for (let n = 0; n < 60; n++) require("fs").writeFileSync("n" + n, "\\n".repeat(1950000))'),
      ...LISTED,
    ],
  },
  {
    name: "120,000 empty files",
    calls: [program('for (let n = 0; n < 120000; n++) require("fs").writeFileSync("e" + n, "")'), ...LISTED],
  },
  {
    name: "120,000 names of a few files",
    calls: [
      program(
        'const fs = require("fs"); for (let n = 0; n < 120000; n++) n % 30000 ? fs.linkSync("h" + (n - n % 30000), "h" + n) : fs.writeFileSync("h" + n, "")',
      ),
      ...LISTED,
    ],
  },
  {
    name: "a workspace that shuts itself",
    calls: [command("chmod 000 ."), command("echo again; chmod 000 ."), ...LISTED],
  },
  {
    name: "4,000 directories, one in another",
    calls: [
      program(
        'for (let n = 0; n < 4000; n++) { require("fs").mkdirSync("d".repeat(200)); process.chdir("d".repeat(200)) }',
      ),
      ...LISTED,
    ],
  },
  {
    name: "names that decode to one text",
    calls: [
      program(
        'for (let n = 0; n < 30000; n++) require("fs").writeFileSync(Buffer.from([128 + (n & 63), 128 + ((n >> 6) & 63), 128 + (n >> 12)]), "")',
      ),
      ...LISTED,
    ],
  },
  {
    name: "edits of a large file",
    calls: [
      command("yes ab | head -c 8000000 | tr -d '\\n' > big"),
      { edit_file: { path: "big", old: "a", new: "b" } },
      { edit_file: { path: "big", old: `${"ab".repeat(25_000)}ba${"ab".repeat(25_000)}`, new: "b" } },
      { read_file: { path: "big", start_line: 1, end_line: 2 } },
    ],
  },
];

const attackCase = (attack: Attack, rows: Figures[]): Case => ({
  name: attack.name,
  async run() {
    using directories = openCaseDirectories();
    const args = [
      "--scenarios-dir",
      scenariosFor(directories, attack),
      "--state-dir",
      directories.state,
      "--log",
      "none",
    ];
    await using served = await serve(args, { TMPDIR: directories.scratch });
    await watched({ name: attack.name, served, directory: directories.path, rows }, async () => {
      const response = await fetch(`${served.url}/api/runs`, jsonPost({ scenario: "attacked" }));
      checkOutcome((await response.json()) as SessionOutcome);
    });
  },
});

/** The attack ends in a verdict, is held against the attacker alone, and takes nothing from the honest arm. */
function checkOutcome(outcome: SessionOutcome): void {
  hold(outcome.state === "completed", "a session with a verdict", { state: outcome.state, failure: outcome.failure });
  hold(outcome.verdict?.winner === "right", "the honest arm to win", outcome.verdict?.statement);
  const faults = Object.values(outcome.decisions)
    .flat()
    .filter(
      ({ kind, detail }) => kind === "error" && detail !== undefined && "class" in detail && detail.class === "infra",
    );
  hold(faults.length === 0, "no fault of ours", faults);
}

function scenariosFor(directories: CaseDirectories, { calls, deny = [] }: Attack): string {
  const scenario = {
    name: "attacked",
    task: {
      prompt: "Write answer.txt.",
      fixture: { files: { "tests/a.txt": "a\n" } },
      probe: { checks: [{ id: "answer", run: "test -f answer.txt", required: true }] },
    },
    policies: { paths: { protected: ["tests/**"] }, commands: { deny } },
    arms: [
      { id: "left", model: "scripted/left", system_prompt: "Left.", script: [...calls.map(alone), { say: "Done." }] },
      {
        id: "right",
        model: "scripted/right",
        system_prompt: "Right.",
        script: [{ calls: [ANSWER] }, { say: "Done." }],
      },
    ],
    rubric: { criteria: [{ id: "checks", measure: "probe_score" }], judge: { model: "builtin/evidence" } },
  };
  // JSON is YAML.
  writeFileSync(join(directories.path, "attacked.yaml"), JSON.stringify(scenario));
  return directories.path;
}

const alone = (call: ScriptCall) => ({ calls: [call] });
const ANSWER: ScriptCall = { write_file: { path: "answer.txt", content: "42\n" } };
