import { readFileSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ScriptCall } from "../src/domain/arm.ts";
import type { SessionOutcome } from "../src/domain/session.ts";
import { type Served, serve } from "../test/http/served.ts";
import { jsonPost } from "../test/http/service.ts";
import { type Campaign, type Case, hold } from "./campaign.ts";
import { type CaseDirectories, openCaseDirectories } from "./case-directories.ts";

/**
 * Bounds, wide enough for a busy machine. The goal is an answer within 50 ms. Without their remedies these attacks held the
 * server up for 12 to 150 seconds, or for good.
 */
const LONGEST_PAUSE_MS = 1_000;
/** A server at rest has about 150 MB. The attacks took 400 MB to 5 GB. */
const MOST_MEMORY_MB = 600;
/** Room for two workspaces and a copy of the largest real one (120 MB). Sparse files once became 10 GB. */
const DEEPEST_DIP_MB = 700;

/** Milliseconds between two requests to the server. */
const ASK_EVERY_MS = 5;

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
    const rows: Row[] = [];
    shared.defer(() => print(rows));
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

interface Row {
  readonly name: string;
  readonly pause_ms: number;
  readonly memory_mb: number;
  readonly dip_mb: number;
  readonly seconds: number;
}

const attackCase = (attack: Attack, rows: Row[]): Case => ({
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
    const began = performance.now();
    const watch = watched(served, directories);
    const response = await fetch(`${served.url}/api/runs`, jsonPost({ scenario: "attacked" }));
    const outcome = (await response.json()) as SessionOutcome;
    const { pause_ms, dip_mb } = await watch.end();
    const memory_mb = peakMemory(served);
    rows.push({ name: attack.name, pause_ms, memory_mb, dip_mb, seconds: (performance.now() - began) / 1_000 });
    checkOutcome(outcome);
    hold(pause_ms < LONGEST_PAUSE_MS, `health within ${LONGEST_PAUSE_MS} ms all the time`, `${pause_ms} ms`);
    hold(memory_mb < MOST_MEMORY_MB, `at most ${MOST_MEMORY_MB} MB of memory`, `${memory_mb} MB`);
    hold(dip_mb < DEEPEST_DIP_MB, `at most ${DEEPEST_DIP_MB} MB of disk`, `${dip_mb} MB`);
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

/** Measures the server's answers and the free disk until `end` is called. */
function watched({ url }: Served, { scratch }: CaseDirectories) {
  const free = () => {
    const { bavail, bsize } = statfsSync(scratch);
    return (bavail * bsize) / 1e6;
  };
  const before = free();
  let [over, pause_ms, least] = [false, 0, before];
  const asking = (async () => {
    while (!over) {
      const asked = performance.now();
      await (await fetch(`${url}/api/health`)).text();
      pause_ms = Math.max(pause_ms, Math.round(performance.now() - asked));
      least = Math.min(least, free());
      await sleep(ASK_EVERY_MS);
    }
  })();
  return {
    async end() {
      over = true;
      await asking;
      return { pause_ms, dip_mb: Math.max(0, Math.round(before - least)) };
    },
  };
}

const peakMemory = ({ child }: Served) =>
  Math.round(Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) / 1_000);

function print(rows: readonly Row[]): void {
  console.log(`  ${"attack".padEnd(36)} pause ms  memory MB  disk MB  seconds`);
  for (const { name, pause_ms, memory_mb, dip_mb, seconds } of rows)
    console.log(
      `  ${name.padEnd(36)} ${String(pause_ms).padStart(8)} ${String(memory_mb).padStart(10)} ` +
        `${String(dip_mb).padStart(8)} ${seconds.toFixed(1).padStart(8)}`,
    );
}
