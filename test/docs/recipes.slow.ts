import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { type FakeProvider, startFakeProvider } from "../fake-provider/fake-provider.ts";
import { EXAMPLE_TOOLS } from "../machine.ts";
import { describeNeeding } from "../needs.ts";
import { pageNamed } from "./pages.ts";
import { openShell, type Shell, type Typed } from "./shell.ts";

const yamlBlocks = pageNamed("docs/ci.md").blocks.filter(({ language }) => language === "yaml");
const [scenario = "", , github = "", gitlab = ""] = yamlBlocks.map(({ text }) => text);

interface Step {
  readonly name?: string;
  readonly run?: string;
  readonly if?: string;
}
const githubSteps: readonly Step[] = parse(github).jobs.verdict.steps;
const gitlabScript: readonly string[] = parse(gitlab).abeval.script;

const GOOD = "Answer by the policy. Name the case number.";
const POOR = "Answer shortly.";

/** An agent that does only what its prompt says. */
const provider = () =>
  startFakeProvider({
    reply: ({ system, messages }) => {
      if (messages.some(({ role }) => role === "assistant")) return { text: "::error::I am done." };
      const content = system.includes("case number") ? "Case R-1042: granted.\n" : "Granted.\n";
      return { text: "I write it.", calls: [{ name: "write_file", input: { path: "reply.md", content } }] };
    },
  });

/** Makes a clone whose target branch has the prompt `baseline` and whose pull request has `candidate`. */
async function cloneWith(shell: Shell, baseline: string, candidate: string): Promise<void> {
  mkdirSync(join(shell.path, "evals"));
  mkdirSync(join(shell.path, "prompts"));
  writeFileSync(join(shell.path, "evals/support-reply.yaml"), scenario);
  writeFileSync(join(shell.path, "prompts/agent.md"), baseline);
  const { status, stderr } = await shell.type(`
    git init -q -b main . && git add prompts evals
    git -c user.name=me -c user.email=me@example.com commit -qm prompt
    git clone -q --bare . upstream.git && git remote add origin upstream.git && git fetch -q origin`);
  if (status !== 0) throw new Error(stderr);
  writeFileSync(join(shell.path, "prompts/agent.md"), candidate);
}

const environmentOf = ({ environment }: FakeProvider, shell: Shell) => ({
  ...environment,
  ABEVAL_MODEL: "gateway/some-model",
  ABEVAL_JUDGE_MODEL: "builtin/evidence",
  ABEVAL_SANDBOX: Bun.which("bwrap") ? "auto" : "none",
  GITHUB_BASE_REF: "main",
  GITHUB_STEP_SUMMARY: join(shell.path, "summary.md"),
  CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main",
});

/** Runs our steps of the job, one shell each. After a failure only those run that always do. */
async function githubJob(
  shell: Shell,
  env: Readonly<Record<string, string>>,
): Promise<{ failed: string[]; log: string }> {
  const failed: string[] = [];
  let log = "";
  for (const { name = "", run, if: condition } of githubSteps) {
    if (run === undefined || name.startsWith("Install")) continue;
    if (failed.length > 0 && condition !== "always()") continue;
    const { status, stdout, stderr } = await shell.type(run, env);
    log += stdout + stderr;
    if (status !== 0) failed.push(name);
  }
  return { failed, log };
}

const gitlabJob = (shell: Shell, env: Readonly<Record<string, string>>): Promise<Typed> =>
  shell.type(gitlabScript.join("\n"), env);

describeNeeding(...EXAMPLE_TOOLS)("the recipes of docs/ci.md", () => {
  test("GitHub: a pull request that improves the prompt passes, with a notice and a summary", async () => {
    using shell = openShell();
    await using fake = await provider();
    await cloneWith(shell, POOR, GOOD);
    const { failed, log } = await githubJob(shell, environmentOf(fake, shell));
    expect(failed).toEqual([]);
    expect(log).toStartWith(
      "::notice title=abeval support-reply::In this one run of support-reply, baseline failed 1 of 1",
    );
    expect(log).not.toContain("I am done");
    expect(readFileSync(join(shell.path, "summary.md"), "utf8")).toContain(
      "**candidate won** (decided by hidden checks",
    );
    for (const file of ["verdict.json", "abeval.xml", "abeval.md", ".abeval/sessions"])
      expect(existsSync(join(shell.path, file))).toBe(true);
  }, 120_000);

  test("GitHub: a pull request that makes the prompt worse fails at the gate and in no other step", async () => {
    using shell = openShell();
    await using fake = await provider();
    await cloneWith(shell, GOOD, POOR);
    const { failed, log } = await githubJob(shell, environmentOf(fake, shell));
    expect(failed).toEqual(["Gate"]);
    expect(log).toContain("::error title=abeval support-reply::");
  }, 120_000);

  test("GitHub: without a key the run fails before it spends, and the steps that always run still work", async () => {
    using shell = openShell();
    await using fake = await provider();
    await cloneWith(shell, GOOD, POOR);
    const env = { ...environmentOf(fake, shell), ABEVAL_MODEL: "mistral/some-model" };
    const { failed, log } = await githubJob(shell, env);
    expect(failed).toEqual(["Run"]);
    expect(log).toContain("MISTRAL_API_KEY");
    expect(fake.requests).toEqual([]);
  }, 120_000);

  test("the check needs the steps before the run, and no key", async () => {
    using shell = openShell();
    await using fake = await provider();
    await cloneWith(shell, POOR, GOOD);
    const { GITHUB_BASE_REF, ABEVAL_SANDBOX } = environmentOf(fake, shell);
    const { run: prompts = "" } = githubSteps.find(({ name }) => name === "Both versions of the prompt") ?? {};
    const [, command = ""] = /`(abeval check [^`]+)`/.exec(pageNamed("docs/ci.md").text) ?? [];
    const before = await shell.type(command, { ABEVAL_SANDBOX });
    expect(before.stdout).toContain("support-reply/baseline.md");
    expect(before.status).toBe(2);
    const { status, stdout, stderr } = await shell.type(`${prompts}\n${command}`, { GITHUB_BASE_REF, ABEVAL_SANDBOX });
    expect(stdout).toContain("needs a key: set ANTHROPIC_API_KEY");
    expect(stdout).toMatch(/evals\/support-reply\.yaml: ready; \d to look at\n$/);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  test("GitLab: a better prompt passes, a worse one fails at the gate", async () => {
    for (const [baseline, candidate, status] of [
      [POOR, GOOD, 0],
      [GOOD, POOR, 1],
    ] as const) {
      using shell = openShell();
      await using fake = await provider();
      await cloneWith(shell, baseline, candidate);
      const finished = await gitlabJob(shell, environmentOf(fake, shell));
      expect({ ...finished, stderr: "" }).toEqual({ status, stderr: "", stdout: expect.stringContaining("required") });
    }
  }, 120_000);
});

test("the recipes publish exactly the reports that abeval is told to write", () => {
  const { paths, reports } = parse(gitlab).abeval.artifacts;
  const command = gitlabScript.find((line) => line.startsWith("abeval run")) ?? "";
  const written = [...command.matchAll(/--(?:out|junit|markdown) (\S+)/g)].map(([, path]) => path);
  expect([...paths, reports.junit].sort()).toEqual(written.sort());
});
