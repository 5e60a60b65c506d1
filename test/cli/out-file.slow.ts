import { expect, test } from "bun:test";
import { existsSync, linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { abeval, PROGRAM, ROOT, scenarioFile } from "../abeval.ts";
import { LINUX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { temporaryDirectory } from "../temporary.ts";

const FILE = scenarioFile("extract-rate-limit");

test("--card writes a picture by the ending of its path, and refuses another before anything is spent", async () => {
  using directory = temporaryDirectory();
  const picture = join(directory.path, "card.png");
  expect((await abeval(["run", FILE, "--card", picture, "--quiet"])).status).toBe(0);
  expect(readFileSync(picture).subarray(1, 4).toString()).toBe("PNG");
  const refused = await abeval(["run", FILE, "--card", join(directory.path, "card.gif")]);
  expect(refused.status).toBe(2);
  expect(refused.stderr).toContain("expected a path that ends in .svg or .png");
  expect(refused.stdout).toBe("");
});

test("a pipe that nobody reads is refused at once, and so is a socket", async () => {
  using directory = temporaryDirectory();
  const [pipe, socket] = [join(directory.path, "pipe"), join(directory.path, "socket")];
  Bun.spawnSync(["mkfifo", pipe]);
  using _listener = Bun.listen({ unix: socket, socket: { data: () => undefined } });
  for (const path of [pipe, socket]) {
    const { status, stdout, stderr } = await abeval(["run", FILE, "--out", path]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain(`--out ${path}: cannot be written (nobody reads from it)`);
  }
});

test("a pipe with a reader, /dev/stdout and /dev/null are written to", async () => {
  using directory = temporaryDirectory();
  const script = `"$@" --out >(cat > ${directory.path}/piped) --junit /dev/null --markdown /dev/stdout --quiet | cat`;
  const child = Bun.spawn(["bash", "-c", script, "bash", ...PROGRAM, "run", FILE], {
    cwd: ROOT,
    env: { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent" },
    stdout: "pipe",
    stderr: "pipe",
  });
  const printed = await new Response(child.stdout).text();
  const [verdict = "", ...markdown] = printed.split("\n");
  expect(JSON.parse(verdict)).toMatchObject({ scenario: "extract-rate-limit" });
  expect(markdown[0]).toBe("## abeval: extract-rate-limit");
  expect(readFileSync(join(directory.path, "piped"), "utf8")).toBe(`${verdict}\n`);
});

test("where a report does not fit, what an earlier run left there is gone, and it says so", async () => {
  using directory = temporaryDirectory();
  const [file, out] = [join(directory.path, "small.yaml"), join(directory.path, "verdict.json")];
  // Nothing but the verdict has more than a kilobyte.
  const arm = (id: string) => ({ id, model: `scripted/${id}`, tools: [], script: [{ say: id }] });
  const probe = { checks: [{ id: "said", answer_contains: "a" }] };
  const task = { prompt: "Say a.", deliverable: "answer", probe };
  const rubric = { criteria: [{ measure: "probe_score" }], judge: { model: "builtin/evidence" } };
  writeFileSync(file, JSON.stringify({ name: "small", task, arms: [arm("a"), arm("b")], rubric }));
  writeFileSync(out, "{}");
  const script = `ulimit -f 1; "$@" --out ${out} --quiet`;
  const child = Bun.spawn(["bash", "-c", script, "bash", ...PROGRAM, "run", file], {
    cwd: ROOT,
    env: { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent" },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  expect(await child.exited).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ scenario: "small" });
  expect(stderr).toContain(`--out ${out}: cannot be written (EFBIG: file too large); what an earlier run left`);
  expect(existsSync(out)).toBe(false);
});

const TWICE: readonly (readonly [what: string, second: (directory: string) => string])[] = [
  ["as it is", (directory) => join(directory, "report")],
  ["with a detour", (directory) => `${directory}/in/../report`],
  ["through a link", (directory) => join(directory, "link")],
  ["through a directory that is a link", (directory) => join(directory, "again", "report")],
];

test.each(TWICE)("one file for two reports is refused, named %s", async (_what, second) => {
  using directory = temporaryDirectory();
  const report = join(directory.path, "report");
  mkdirSync(join(directory.path, "in"));
  writeFileSync(report, "kept");
  symlinkSync(report, join(directory.path, "link"));
  symlinkSync(directory.path, join(directory.path, "again"));
  const { status, stderr } = await abeval(["run", FILE, "--out", report, "--junit", second(directory.path)]);
  expect(status).toBe(2);
  expect(stderr).toContain("is the file of --out too; one would overwrite the other");
  expect(readFileSync(report, "utf8")).toBe("kept");
});

const OWN: readonly (readonly [what: string, path: string, flag?: string])[] = [
  ["the scenario", "sample.yaml"],
  ["the scenario", "sample.yaml", "junit"],
  ["the scenario", "sample.yaml", "markdown"],
  ["the scenario by a detour", "fixture/../sample.yaml"],
  ["the scenario through a link", "link.yaml"],
  ["the scenario through a directory that is a link", "again/sample.yaml"],
  ["the prices", "prices.yaml"],
  ["a file of the fixture", "fixture/a.txt"],
  ["a new file in the fixture", "fixture/new.txt"],
  ["a new file in the hidden checks, through a link", "hidden/new.txt"],
  ["a file of the fix", "fix/a.txt"],
  ["the database", "state/sessions.db"],
  ["what SQLite keeps beside it", "state/sessions.db-wal"],
  ["a file among the stored sessions", "state/sessions/verdict.json"],
];

const OWN_SCENARIO = `name: sample
task:
  prompt: Do it.
  fixture: {dir: fixture}
  probe: {dir: probe, checks: [{id: there, run: "true"}]}
  reference_fix: {dir: fix}
arms:
  - {id: a, model: scripted/a, system_prompt: A, script: [{say: hi}]}
  - {id: b, model: scripted/b, system_prompt: B, script: [{say: hi}]}
rubric: {criteria: [{measure: turns}], judge: {model: builtin/evidence}}
`;

test.each(OWN)("a report over %s (%s) is refused, and everything is as it was", async (_what, path, flag = "out") => {
  using directory = temporaryDirectory();
  const at = (name: string) => join(directory.path, name);
  for (const name of ["fixture", "probe", "fix", "state/sessions"]) mkdirSync(at(name), { recursive: true });
  const files = { "sample.yaml": OWN_SCENARIO, "prices.yaml": "a/b: {in: 1, out: 1}\n", "fixture/a.txt": "a\n" };
  for (const [name, text] of Object.entries({ ...files, "probe/p.txt": "", "fix/a.txt": "b\n" }))
    writeFileSync(at(name), text);
  symlinkSync(at("sample.yaml"), at("link.yaml"));
  symlinkSync(directory.path, at("again"));
  symlinkSync(at("probe"), at("hidden"));
  const before = listed(directory.path);
  const settings = ["--prices", at("prices.yaml"), "--state-dir", at("state")];
  const { status, stdout, stderr } = await abeval(["run", at("sample.yaml"), ...settings, `--${flag}`, at(path)]);
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toMatch(
    /^(no sandbox .*\n)?abeval: --\w+ \S+: (is .*, which a report would overwrite|is in .*); choose another path\n/,
  );
  expect(listed(directory.path)).toEqual(before);
});

const listed = (directory: string) =>
  [...new Bun.Glob("**").scanSync({ cwd: directory, dot: true })]
    .map((name) => [name, readFileSync(join(directory, name), "utf8")])
    .toSorted();

test("a report beside the scenario and in the state directory is written", async () => {
  using directory = temporaryDirectory();
  const [file, report] = [join(directory.path, "sample.yaml"), join(directory.path, "sessions.json")];
  writeFileSync(file, OWN_SCENARIO.replace(/ {2}fixture:.*\n.*\n.*\n/, ""));
  const { status } = await abeval(["run", file, "--state-dir", directory.path, "--out", report, "--quiet"]);
  expect([status, readFileSync(report, "utf8").slice(0, 1)]).toEqual([0, "{"]);
});

test("two names of one file are two files once they are replaced", async () => {
  using directory = temporaryDirectory();
  const [one, two] = [join(directory.path, "one"), join(directory.path, "two")];
  writeFileSync(one, "");
  linkSync(one, two);
  expect((await abeval(["run", FILE, "--out", one, "--junit", two, "--quiet"])).status).toBe(0);
  expect(readFileSync(one, "utf8")).toStartWith("{");
  expect(readFileSync(two, "utf8")).toStartWith("<?xml");
});

testNeeding(LINUX)("without a stdout nothing is run", () => {
  using directory = temporaryDirectory();
  const { exitCode, stderr } = Bun.spawnSync(
    ["bash", "-c", '"$@" >&-', "bash", ...PROGRAM, "run", FILE, "--state-dir", join(directory.path, "state")],
    { cwd: ROOT, env: { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent" }, stderr: "pipe" },
  );
  expect(stderr.toString()).toContain("stdout is closed, and the verdict goes there");
  expect(exitCode).toBe(2);
});
