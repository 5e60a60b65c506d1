import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArguments, UsageError } from "../../src/doors/cli/flags/parse-arguments.ts";
import { RUN } from "../../src/doors/cli/flags/run-flags.ts";
import { runSeries } from "../../src/doors/cli/run-series.ts";
import { abeval, FROM_SOURCES, scenarioFile } from "../abeval.ts";
import { SANDBOX_MODE } from "../machine.ts";
import { temporaryDirectory } from "../temporary.ts";

const HEAD = "name: sample\ntask:\n  prompt: Do it.\n";
const ARM_A = "  - {id: a, model: scripted/a, system_prompt: A, script: [{say: hi}]}\n";
const ARM_B = "  - {id: b, model: scripted/b, system_prompt: B, script: [{say: hi}]}\n";
const ARMS = `arms:\n${ARM_A}${ARM_B}`;
const RUBRIC = "rubric: {criteria: [{measure: turns}], judge: {model: builtin/evidence}}\n";
const GOOD = HEAD + ARMS + RUBRIC;

/** What the command throws, which its caller tells. */
const refusalOf = (args: readonly string[]): Promise<unknown> =>
  parseArguments(RUN, args)
    .then(runSeries)
    .catch((error: unknown) => error);

/** What is wrong, the file, and a piece of the message that says where or what to do. */
const FILES: readonly (readonly [what: string, text: string, said: RegExp])[] = [
  ["an empty file", "", /sample\.yaml:1:1 .*empty/],
  ["a YAML syntax error", "name: [sample\n", /sample\.yaml:\d+:\d+ /],
  ["an alias bomb", "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n", /sample\.yaml:\d+:\d+ .*alias/i],
  ["an unknown key", `${GOOD}rubrik: 1\n`, /did you mean.*rubric/],
  ["a wrong type", GOOD.replace("prompt: Do it.", "prompt: [1]"), /sample\.yaml:3:11 task\.prompt/],
  ["one arm", `${HEAD}arms:\n${ARM_A}${RUBRIC}`, /arms: .*two/],
  [
    "nine arms",
    HEAD + ARMS + [..."cdefghi"].map((id) => ARM_B.replace("id: b", `id: ${id}`)).join("") + RUBRIC,
    /arms: expected at most 8, found 9/,
  ],
  ["equal arm ids", GOOD.replace("id: b", "id: a"), /arms\[1\]\.id/],
  ["an unknown tool", GOOD.replace("system_prompt: B", "tools: [read_fil], system_prompt: B"), /read_file/],
  [
    "a fixture that leaves the directory",
    GOOD.replace("task:", "task:\n  fixture: {dir: ../elsewhere}"),
    /task\.fixture/,
  ],
  ["a fixture that leaves by a link", GOOD.replace("task:", "task:\n  fixture: {dir: link}"), /task\.fixture/],
  [
    "a model without a slash",
    GOOD.replace("scripted/b", "gpt"),
    /arms\[1\]\.model: expected <provider>\/<model>, got "gpt"/,
  ],
  ["a negative budget", `${GOOD}policies: {budget: {max_turns: -1}}\n`, /policies\.budget\.max_turns/],
  ["a budget of zero", `${GOOD}policies: {budget: {max_seconds: 0}}\n`, /policies\.budget\.max_seconds/],
  [
    "a cost cap without prices",
    `${GOOD.replaceAll("scripted/", "openai/")}policies: {budget: {max_cost_usd: 1}}\n`,
    /price_per_mtok/,
  ],
  ["no criteria", `${HEAD + ARMS}rubric: {criteria: []}\n`, /rubric\.criteria/],
  ["weights of zero", GOOD.replace("measure: turns", "measure: turns, weight: 0"), /weight/],
];

test.each(FILES)("%s is refused with its place, and nothing is written", async (_what, text, said) => {
  using directory = temporaryDirectory();
  const file = join(directory.path, "sample.yaml");
  writeFileSync(file, text);
  symlinkSync("/etc", join(directory.path, "link"));
  const written = ["--state-dir", join(directory.path, "state"), "--out", join(directory.path, "verdict.json")];
  const refusal = await refusalOf([file, ...written, "--trials", "2", "--sandbox", "none", "--quiet"]);
  expect(`${refusal}`).toMatch(said);
  expect(readdirSync(directory.path).sort()).toEqual(["link", "sample.yaml"]);
});

test("a refused file is exit status 2, with words and without a stack", async () => {
  using directory = temporaryDirectory();
  const file = join(directory.path, "sample.yaml");
  writeFileSync(file, `${GOOD}rubrik: 1\n`);
  const written = ["--state-dir", join(directory.path, "state"), "--out", join(directory.path, "verdict.json")];
  const { status, stdout, stderr } = await abeval(["run", file, ...written]);
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toMatch(/did you mean.*rubric/);
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(readdirSync(directory.path)).toEqual(["sample.yaml"]);
});

const USES: readonly (readonly [what: string, args: readonly string[], said: RegExp])[] = [
  [
    "an unknown flag",
    ["run", "a.yaml", "--jugde-model", "x"],
    /unknown flag --jugde-model; did you mean --judge-model\?/,
  ],
  [
    "a missing file",
    ["run", "nowhere.yaml"],
    /^abeval: nowhere\.yaml: the file does not exist; give the path of a \.yaml file\n/,
  ],
  ["a directory", ["run", "scenarios"], /scenarios/],
  ["two files that are missing", ["run", "a.yaml", "b.yaml"], /^abeval: a\.yaml: the file does not exist/],
  [
    "a judge that is not built in",
    ["run", scenarioFile("pager-last-page"), "--judge-model", "builtin/evidance"],
    /judge: there is no "builtin\/evidance"; the only built-in judge is builtin\/evidence\n/,
  ],
  [
    "an unknown model and a judge without its key, at once",
    ["run", scenarioFile("pager-last-page"), "--model", "nosuch/model", "--judge-model", "openai/x"],
    /unknown provider "nosuch".*\njudge: model "openai\/x" needs a key: set OPENAI_API_KEY/,
  ],
  ["a switch with a value", ["prune", "--state-dir", "d", "--yes=no"], /--yes takes no value, got "no"/],
  ["a negative number", ["serve", "--grace", "-1"], /--grace: expected a whole number from 0 to \d+, got "-1"/],
  ["an unknown command", ["rnu"], /unknown command "rnu"; did you mean "run"\?/],
  ["an unknown top-level flag", ["--versoin"], /unknown flag "--versoin"; did you mean "--version"\?/],
  ["no command", [], /Usage/],
  ["a missing key", ["run", scenarioFile("pager-last-page"), "--model", "anthropic/some-model"], /ANTHROPIC_API_KEY/],
  [
    "a judge without its key",
    ["run", scenarioFile("pager-last-page"), "--judge-model", "openai/x"],
    /builtin\/evidence/,
  ],
  [
    "an unknown provider",
    ["run", scenarioFile("pager-last-page"), "--model", "nosuch/model"],
    /unknown provider "nosuch".*NOSUCH_BASE_URL/,
  ],
  ["an --out in no directory", ["run", scenarioFile("pager-last-page"), "--out", "/proc/none/x.json"], /--out/],
  ["an --out that is a directory", ["run", scenarioFile("pager-last-page"), "--out", "/"], /--out \/: is a directory/],
  [
    "a state directory that is a file",
    ["run", scenarioFile("pager-last-page"), "--state-dir", "/dev/null"],
    /\/dev\/null/,
  ],
];

test.each(USES)("%s is refused in one line, exit 2", async (_what, args, said) => {
  using directory = temporaryDirectory();
  const { status, stdout, stderr } = await abeval(args);
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toMatch(said);
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(readdirSync(directory.path)).toEqual([]);
});

/** After `abeval run`. */
const FLAGS: readonly (readonly [what: string, args: readonly string[], said: RegExp])[] = [
  ["no scenario file", [], /missing <scenario_file>/],
  ["a seed without text", ["a.yaml", "--seed", ""], /--seed needs a value: --seed <text>/],
  ["a missing value", ["a.yaml", "--model"], /--model needs a value/],
  [
    "a negative sum",
    ["a.yaml", "--max-cost", "-1"],
    /--max-cost: expected US dollars in digits, above 0 and below 1000000000, such as 2\.50, got "-1"/,
  ],
  [
    "a sum as a power of ten",
    ["a.yaml", "--max-cost", "1e9"],
    /--max-cost: expected US dollars in digits, .* got "1e9"/,
  ],
  ["a flag given twice", ["a.yaml", "--max-cost", "1", "--max-cost=2"], /--max-cost is given 2 times; give it once/],
  ["a switch given twice", ["a.yaml", "--quiet", "--quiet"], /--quiet is given 2 times; give it once/],
  [
    "an unknown flag with a negative number",
    ["a.yaml", "--max-cots", "-1"],
    /unknown flag --max-cots; did you mean --max-cost\?/,
  ],
  ["a wrong choice", ["a.yaml", "--sandbox", "maybe"], /--sandbox: expected auto, bubblewrap, none, got "maybe"/],
];

test.each(FLAGS)("%s is refused", async (_what, args, said) => {
  const refusal = await refusalOf(args);
  expect(refusal).toBeInstanceOf(UsageError);
  expect(`${refusal}`).toMatch(said);
});

test("a refused run leaves no temporary file beside --out", async () => {
  using directory = temporaryDirectory();
  const out = join(directory.path, "verdict.json");
  mkdirSync(join(directory.path, "state"));
  writeFileSync(join(directory.path, "state/sessions.db"), "no database".repeat(1000));
  const args = ["run", scenarioFile("pager-last-page"), "--out", out, "--state-dir", join(directory.path, "state")];
  expect((await abeval(args)).status).toBe(2);
  expect(readdirSync(directory.path)).toEqual(["state"]);
});

const GATED = GOOD.replace("scripted/a", "gateway/cheap")
  .replace("scripted/b", "gateway/dear")
  .replaceAll(", script: [{say: hi}]", "");

test.each([
  [
    "--max-cost",
    "",
    ["--max-cost", "0.5"],
    /max_cost_usd \(--max-cost\): 0\.5 is below the likely cost of one run, about \d.* give \d/,
  ],
  [
    "the scenario's own",
    "policies: {budget: {max_cost_usd: 0.01}}\n",
    [],
    /arm "dear": max_cost_usd \(0\.01\) does not pay/,
  ],
])(
  "%s limit below the likely cost of the run is refused before a model is asked",
  async (_what, policies, flags, said) => {
    using directory = temporaryDirectory();
    const asked: string[] = [];
    using gateway = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: (request) => {
        asked.push(request.url);
        return new Response("no", { status: 500 });
      },
    });
    const [file, prices, state] = ["sample.yaml", "prices.yaml", "state"].map((name) => join(directory.path, name));
    writeFileSync(file ?? "", GATED.replace("id: b", "id: dear") + policies);
    writeFileSync(prices ?? "", "gateway/cheap: {in: 1, out: 3}\ngateway/dear: {in: 300, out: 1500}\n");
    const args = ["run", file ?? "", "--prices", prices ?? "", "--state-dir", state ?? "", ...flags];
    const { status, stdout, stderr } = await abeval(args, {
      env: { GATEWAY_BASE_URL: gateway.url.href, ABEVAL_SANDBOX: SANDBOX_MODE },
    });
    expect({ status, stdout, asked }).toEqual({ status: 2, stdout: "", asked: [] });
    expect(stderr).toMatch(said);
    expect(existsSync(state ?? "")).toBe(false);
  },
);

const COMMANDS = [
  ["run", [scenarioFile("pager-last-page")]],
  ["serve", ["--addr", "127.0.0.1:0"]],
  ["mcp", []],
] as const;

test.each(COMMANDS)("%s says in one sentence that there is no directory for temporary files", async (command, args) => {
  using directory = temporaryDirectory();
  const file = join(directory.path, "file");
  writeFileSync(file, "");
  const faults = [
    ["/proc/none", "does not exist"],
    [file, "is not a directory"],
    ["/proc", "cannot be written to (ENOENT)"],
  ] as const;
  // All commands look in one way.
  for (const [TMPDIR, fault] of command === "run" ? faults : faults.slice(0, 1)) {
    const { status, stdout, stderr } = await abeval([command, ...args], { env: { TMPDIR } });
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toBe(
      `abeval: the directory for temporary files, ${TMPDIR}, ${fault}: make it, or set TMPDIR to one that you may write to\nSee: abeval ${command} --help\n`,
    );
  }
});

/** Runs a fault as soon as the program has begun. */
const begun = (fault: string) =>
  `const on = process.on; process.on = function (...args) { if (args[0] === "unhandledRejection") setTimeout(() => { ${fault} }); return on.apply(this, args); };`;

const ESCAPES = [
  [
    "the command",
    ...COMMANDS[0],
    "const { hasOwn } = Object; Object.hasOwn = () => { Object.hasOwn = hasOwn; throw new Error(WORDS); };",
  ],
  ["a timer", ...COMMANDS[1], begun("throw new Error(WORDS);")],
  ["a promise that nobody awaits", ...COMMANDS[2], begun("void Promise.reject(new Error(WORDS));")],
] as const;

test.each(ESCAPES)(
  "an error that escapes from %s is a sentence, status 1 and no stack",
  async (_, command, args, fault) => {
    using directory = temporaryDirectory();
    const preload = join(directory.path, "fault.ts");
    writeFileSync(preload, fault.replace("WORDS", '"all\\u001b[31m is lost\\n    at once (file.ts:1:1)"'));
    const [bun = "", main = ""] = FROM_SOURCES;
    const { status, stderr } = await abeval([command, ...args], { program: [bun, "--preload", preload, main] });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^abeval: this is a fault of abeval \S+: all\[31m is lost\nPlease report it .*\n$/m);
    expect(stderr).not.toMatch(/^\s+at |Error:|^\d+ \|/m);
  },
);
