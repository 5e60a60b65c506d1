import { expect, test } from "bun:test";
import { appendFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { parse } from "yaml";
import manifest from "../../package.json";
import { archiveName, nativeTarget } from "../../release/targets.ts";
import { PROGRAM, ROOT } from "../abeval.ts";
import { pageNamed } from "../docs/pages.ts";
import { openShell, type Shell } from "../docs/shell.ts";
import { EXAMPLE_TOOLS } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { writeRelease } from "./small-release.ts";

interface Step {
  readonly name: string;
  readonly id?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly run: string;
}
interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string; readonly required?: boolean }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly steps: readonly Step[] };
}
type Inputs = Readonly<Record<string, string>>;

const action: Action = parse(readFileSync(join(ROOT, "action.yml"), "utf8"));
const testAction = testNeeding(...EXAMPLE_TOOLS);

/** A runner of GitHub's with a release host on loopback. */
interface Runner extends AsyncDisposable {
  readonly shell: Shell;
  /** Where the release's files lie. */
  readonly release: string;
  /** Runs the steps of the action one after another, until one fails. */
  readonly use: (inputs: Inputs, env?: Readonly<Record<string, string>>) => Promise<Used>;
}

interface Used {
  /** The step that failed, and its status. */
  readonly failed: readonly [name: string, status: number] | null;
  readonly log: string;
  readonly summary: string;
  readonly outputs: Readonly<Record<string, string>>;
}

function openRunner(): Runner {
  const shell = openShell();
  const { path } = shell;
  const host = join(path, "host");
  const release = join(host, "owner/abeval/releases/download", `v${manifest.version}`);
  const program = `#!/bin/sh\nexec ${PROGRAM.map((part) => `'${part}'`).join(" ")} "$@"\n`;
  writeRelease(release, { version: manifest.version, program });
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ url }) => {
      const file = Bun.file(join(host, new URL(url).pathname));
      return file.size > 0 ? new Response(file) : new Response(null, { status: 404 });
    },
  });
  return {
    shell,
    release,
    use: (inputs, env = {}) => use(shell, inputs, { GITHUB_SERVER_URL: server.url.origin, ...env }),
    [Symbol.asyncDispose]: async () => {
      await server.stop(true);
      shell[Symbol.dispose]();
    },
  };
}

async function use(shell: Shell, inputs: Inputs, surroundings: Readonly<Record<string, string>>): Promise<Used> {
  const file = (name: string) => join(shell.path, name);
  for (const name of ["path", "output", "summary"]) writeFileSync(file(name), "");
  mkdirSync(file("temp"), { recursive: true });
  const standard = {
    PATH: process.env["PATH"] ?? "",
    RUNNER_TEMP: file("temp"),
    RUNNER_OS: process.platform === "linux" ? "Linux" : "macOS",
    GITHUB_ACTION_PATH: ROOT,
    GITHUB_PATH: file("path"),
    GITHUB_OUTPUT: file("output"),
    GITHUB_STEP_SUMMARY: file("summary"),
    ...surroundings,
  };
  const meant = (expression: string) => evaluated(expression, inputs, file("output"));
  let log = "";
  let failed: Used["failed"] = null;
  for (const { name, env, run } of action.runs.steps) {
    const added = readFileSync(file("path"), "utf8").trim().split("\n").reverse();
    const PATH = [...added, standard.PATH].join(delimiter);
    const own = Object.fromEntries(Object.entries(env).map(([key, expression]) => [key, meant(expression)]));
    const { status, stdout, stderr } = await shell.type(run, { ...standard, PATH, ...own });
    log += stdout + stderr;
    if (status === 0) continue;
    failed = [name, status];
    break;
  }
  const outputs = Object.entries(action.outputs).map(([key, { value }]) => [key, meant(value)]);
  return { failed, log, summary: readFileSync(file("summary"), "utf8"), outputs: Object.fromEntries(outputs) };
}

/** The few expressions that the action uses. */
function evaluated(expression: string, inputs: Inputs, output: string): string {
  const [, context, name = ""] = /^\$\{\{ (inputs|github|steps\.run\.outputs)\.([\w-]+) \}\}$/.exec(expression) ?? [];
  if (context === "inputs") return inputs[name] ?? action.inputs[name]?.default ?? "";
  if (context === "github" && name === "action_repository") return "owner/abeval";
  if (context !== "steps.run.outputs") throw new Error(`not known here: ${expression}`);
  const lines = readFileSync(output, "utf8").split("\n");
  return lines.findLast((line) => line.startsWith(`${name}=`))?.slice(name.length + 1) ?? "";
}

const PAGER = { scenarios: "scenarios/pager-last-page.yaml", "install-sandbox": "false" };

testAction("it installs the release that it came with, runs, tells the outcome and writes the summary", async () => {
  await using runner = openRunner();
  const { failed, log, summary, outputs } = await runner.use({ ...PAGER, gate: '.winner == "root-cause"' });
  expect({ failed, log }).toEqual({ failed: null, log: expect.stringContaining("The gate holds") });
  expect(log).toMatch(/^::stop-commands::([0-9a-f]{32})\n::\1::\n::notice title=abeval::In this one run/m);
  expect(summary).toContain("**root-cause won**");
  const { reports = "", "verdict-file": file = "", ...told } = outputs;
  const { confidence } = JSON.parse(readFileSync(file, "utf8"));
  expect(told).toEqual({ outcome: "winner", winner: "root-cause", confidence, conclusion: "" });
  for (const name of ["verdict.json", "abeval.md", "abeval.xml"]) expect(existsSync(join(reports, name))).toBe(true);
});

testAction("it passes the base of the pull request, and fails where the checkout lacks it", async () => {
  await using runner = openRunner();
  const event = join(runner.shell.path, "event.json");
  const base = (sha: string) => writeFileSync(event, JSON.stringify({ pull_request: { base: { sha } } }));
  await runner.shell.type(
    "git init --quiet . && git -c user.name=A -c user.email=a@b.c commit --quiet --allow-empty -m base",
    {
      PATH: process.env["PATH"] ?? "",
    },
  );
  const { stdout } = await runner.shell.type("git rev-parse HEAD", { PATH: process.env["PATH"] ?? "" });
  base(stdout.trim());
  const { failed, outputs } = await runner.use(PAGER, { GITHUB_EVENT_PATH: event });
  expect(failed).toBeNull();
  const verdict = JSON.parse(readFileSync(outputs["verdict-file"] ?? "", "utf8"));
  expect(verdict.inputs_from_checkout[0]).toMatchObject({ input: "scenario" });
  base("0123456789012345678901234567890123456789");
  const lacking = await runner.use(PAGER, { GITHUB_EVENT_PATH: event });
  expect(lacking.failed).toEqual(["Run", 2]);
  expect(lacking.log).toContain("is not in the checkout and cannot be fetched");
});

testAction("several files make a series; its conclusion is told, and the gate reads it", async () => {
  await using runner = openRunner();
  const suite = { ...PAGER, scenarios: "scenarios/suite-re*.yaml\nscenarios/suite-csv-line.yaml\n", trials: "1" };
  const { failed, outputs } = await runner.use({
    ...suite,
    args: "--seed=a b\n",
    gate: '.conclusion == "a_preferred"',
  });
  expect(failed).toEqual(["Gate", 1]);
  expect(outputs).toMatchObject({ outcome: "", winner: "", confidence: "", conclusion: "undecided" });
  const { plan } = JSON.parse(readFileSync(outputs["verdict-file"] ?? "", "utf8"));
  expect(plan.seed).toBe("a b");
});

testAction(
  "two stars are any number of directories, and a line that matches no file is an error that names it",
  async () => {
    using shell = openShell();
    const deep = join(shell.path, "evals/a/b");
    mkdirSync(deep, { recursive: true });
    for (const file of ["evals/top.yaml", "evals/a/b/deep one.yaml", "asked"])
      writeFileSync(join(shell.path, file), "");
    const bin = join(shell.path, "bin");
    mkdirSync(bin);
    const tell = `#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done; shift; printf '%s\\n' "$@" > '${join(shell.path, "asked")}'\n`;
    writeFileSync(join(bin, "abeval"), tell, { mode: 0o755 });
    const { run = "" } = action.runs.steps.find(({ id }) => id === "run") ?? {};
    const asked = async (SCENARIOS: string) => {
      writeFileSync(join(shell.path, "asked"), "");
      const files = { GITHUB_OUTPUT: join(shell.path, "output"), GITHUB_STEP_SUMMARY: join(shell.path, "summary") };
      const PATH = `${bin}${delimiter}${process.env["PATH"]}`;
      const { status, stdout } = await shell.type(`cd '${shell.path}'\n${run}`, {
        PATH,
        RUNNER_TEMP: shell.path,
        SCENARIOS,
        ...files,
      });
      return { status, stdout, asked: readFileSync(join(shell.path, "asked"), "utf8") };
    };
    expect(await asked("evals/**/*.yaml")).toMatchObject({
      status: 0,
      asked: "evals/a/b/deep one.yaml\nevals/top.yaml\n",
    });
    expect(await asked("evals/*.yaml\nevals/none-*.yaml")).toEqual({
      status: 2,
      stdout: "::error title=abeval::No file matches this line of scenarios: evals/none-*.yaml\n",
      asked: "",
    });
    expect(readFileSync(join(shell.path, "summary"), "utf8")).toContain(
      "No file matches this line of scenarios: evals/none-*.yaml",
    );
  },
);

testAction(
  "a gate that is false fails with status 1, one that is no condition with status 2, and both say so",
  async () => {
    using shell = openShell();
    const verdict = join(shell.path, "verdict.json");
    writeFileSync(verdict, JSON.stringify({ winner: "a", flags: ["x"] }));
    const gate = action.runs.steps.at(-1)?.run ?? "";
    const says = async (GATE: string, series?: object) => {
      if (series) writeFileSync(verdict, JSON.stringify(series));
      const { status, stdout, stderr } = await shell.type(gate, { GATE, VERDICT: verdict });
      return [status, stdout.trimEnd(), stderr];
    };
    const broken = "::error title=abeval gate::The gate cannot be evaluated:";
    expect(await says('.winner == "a"')).toEqual([0, 'The gate holds: .winner == "a"', ""]);
    expect(await says('.winner != "a" # 100%')).toEqual([
      1,
      '::error title=abeval gate::The gate does not hold: .winner != "a" # 100%25',
      "",
    ]);
    expect(await says(".winner")).toEqual([2, `${broken} .winner must give true or false, and gave "a"`, ""]);
    expect(await says(".winer")).toEqual([2, `${broken} .winer must give true or false, and gave null`, ""]);
    expect(await says("empty")).toEqual([2, `${broken} empty must give true or false, and gave nothing`, ""]);
    expect(await says("true, true")).toEqual([
      2,
      `${broken} true, true must give true or false, and gave true%0Atrue`,
      "",
    ]);
    expect(await says("-1 == 1")).toEqual([1, expect.stringContaining("does not hold"), ""]);
    expect(await says(".flags.x")).toEqual([2, expect.stringContaining("gave an error: jq: error"), ""]);
    expect(await says("$(touch made) `touch made` ; touch made")).toEqual([2, expect.stringContaining(broken), ""]);
    expect(existsSync(join(shell.path, "made"))).toBe(false);
    const warned = await says('.gate.a == "better" | not');
    expect(warned).toEqual([0, expect.stringMatching(/^::warning title=abeval gate::This gate reads one run/), ""]);
    expect(await says('.gate.a == "better" | not', { conclusion: "undecided" })).toEqual([
      ...[0, 'The gate holds: .gate.a == "better" | not', ""],
    ]);
  },
);

testAction("a gate that jq cannot read is refused before anything is installed or spent", async () => {
  await using runner = openRunner();
  const { failed, log } = await runner.use({ ...PAGER, gate: '.winner = = "a"' });
  expect(failed).toEqual(["Install abeval", 2]);
  expect(log).toContain('::error title=abeval::The gate is not a jq condition: .winner = = "a"');
  expect(existsSync(join(runner.shell.path, "temp/abeval"))).toBe(false);
});

testAction("an archive with another sum, and a version that is not there, are not run", async () => {
  await using runner = openRunner();
  const refused = async (inputs: Inputs) => {
    const { failed, log } = await runner.use({ ...PAGER, ...inputs });
    expect(failed).toEqual(["Install abeval", 2]);
    expect(existsSync(join(runner.shell.path, "temp/abeval"))).toBe(false);
    return log;
  };
  expect(await refused({ version: "v9.9.9" })).toMatch(/cannot download \S+\/v9\.9\.9\/SHA256SUMS\n[\s\S]*/);
  expect(await refused({ sha256: "0".repeat(64) })).toContain("--sha256 says 0000");
  appendFileSync(join(runner.release, archiveName(manifest.version, nativeTarget())), "more");
  expect(await refused({})).toContain("SHA256SUMS says");
});

testAction("a mirror is asked where one is named, and must hold the version that was asked for", async () => {
  await using runner = openRunner();
  const mirror = join(runner.shell.path, "mirror");
  writeRelease(mirror, { version: manifest.version, program: "#!/bin/sh\necho 0.0.1\n" });
  const { failed, log } = await runner.use({ ...PAGER, "release-url": mirror, version: manifest.version });
  expect(failed).toEqual(["Install abeval", 2]);
  expect(log).toContain(`${mirror} holds another version than ${manifest.version}`);
});

testAction(
  "a run that is refused fails with its status, and words from elsewhere are no commands to the runner",
  async () => {
    await using runner = openRunner();
    const { failed, log, outputs, summary } = await runner.use({
      ...PAGER,
      scenarios: "::error::x.yaml\n-y.yaml",
      gate: "true",
    });
    expect(failed).toEqual(["Run", 2]);
    expect(log).toMatch(/^::stop-commands::(\w+)\n::\1::$[\s\S]*x\.yaml/m);
    expect(summary).toMatch(/^\*\*abeval gave no verdict\.\*\*\n\n```\nabeval: .*x\.yaml.*[\s\S]*```\n$/);
    expect(outputs).toMatchObject({ outcome: "", "verdict-file": "" });
  },
);

testAction(
  "the sandbox is installed where it is missing, and Ubuntu's restriction is lifted where it holds",
  async () => {
    using shell = openShell();
    const bin = join(shell.path, "bin");
    mkdirSync(bin);
    const tell = `#!/bin/sh\necho "\${0##*/} $*" >> '${join(shell.path, "asked")}'\n`;
    writeFileSync(join(bin, "sudo"), tell, { mode: 0o755 });
    writeFileSync(join(bin, "sysctl"), "#!/bin/sh\necho 1\n", { mode: 0o755 });
    symlinkSync(Bun.which("bash") ?? "", join(bin, "bash"));
    const { run = "" } = action.runs.steps.find(({ name }) => name === "Install the sandbox") ?? {};
    const asked = async (env: Readonly<Record<string, string>>) => {
      writeFileSync(join(shell.path, "asked"), "");
      const all = {
        PATH: bin,
        RUNNER_OS: "Linux",
        INSTALL_SANDBOX: "true",
        ...env,
      };
      expect(await shell.type(run, all)).toEqual({ status: 0, stdout: "", stderr: "" });
      return readFileSync(join(shell.path, "asked"), "utf8").split("\n").slice(0, -1);
    };
    const lift = "sudo sysctl -q -w kernel.apparmor_restrict_unprivileged_userns=0";
    expect(await asked({ INSTALL_SANDBOX: "false" })).toEqual([]);
    expect(await asked({ RUNNER_OS: "macOS" })).toEqual([]);
    const install = ["sudo apt-get update -qq", "sudo apt-get install -y -qq --no-install-recommends bubblewrap"];
    expect(await asked({})).toEqual([...install, lift]);
    writeFileSync(join(bin, "bwrap"), "", { mode: 0o755 });
    expect(await asked({})).toEqual([lift]);
  },
);

test("no input stands in the text of a command: it would be run", () => {
  for (const { name, run } of action.runs.steps) expect([name, run.includes("${{")]).toEqual([name, false]);
});

test("the workflow in docs/ci.md names inputs and outputs that there are, and every input that must be given", () => {
  const { text = "" } = pageNamed("docs/ci.md").blocks.find(({ text }) => text.includes("<owner>/abeval@")) ?? {};
  const steps: { uses?: string; with?: Inputs }[] = parse(text).jobs.verdict.steps;
  const given = Object.keys(steps.find(({ uses = "" }) => uses.startsWith("<owner>/abeval@"))?.with ?? {});
  const required = Object.entries(action.inputs).filter(([, { required = false }]) => required);
  expect(given.filter((name) => !(name in action.inputs))).toEqual([]);
  expect(required.map(([name]) => name).filter((name) => !given.includes(name))).toEqual([]);
  const read = [...text.matchAll(/steps\.abeval\.outputs\.([\w-]+)/g)].map(([, name = ""]) => name);
  expect(read.length).toBeGreaterThan(0);
  expect(read.filter((name) => !(name in action.outputs))).toEqual([]);
});
