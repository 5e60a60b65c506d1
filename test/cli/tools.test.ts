import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { RUN } from "../../src/doors/cli/flags/run-flags.ts";
import { RUN_TOOLS, type RunTool, toolSpec } from "../../src/doors/cli/flags/tool-flags.ts";
import { abeval } from "../abeval.ts";
import { temporaryDirectory } from "../temporary.ts";

const NAMES = Object.keys(RUN_TOOLS) as RunTool[];
const examples = join(import.meta.dir, "../../examples");
const own = (name: string) => join(examples, name);

test("each tool has a help of its own, with its flags and no other", async () => {
  for (const name of NAMES) {
    const { stdout, status } = await abeval([name, "--help"]);
    const listed = [...stdout.matchAll(/^ {2}(?:-h, | {4})--([a-z-]+)/gm)].map(([, flag]) => flag);
    expect([status, listed.toSorted()]).toEqual([0, [...Object.keys(toolSpec(name).flags), "help"].toSorted()]);
    expect(stdout).toStartWith(`abeval ${name}\n`);
    expect(stdout).not.toMatch(/with --(check|new|results|bless|self-test)/);
    expect(stdout.length).toBeLessThan((await abeval(["run", "--help"])).stdout.length / 2);
  }
});

const TABLE = "scenario,trial,arm,passed\na,1,old,true\na,1,new,false\nb,1,old,true\nb,1,new,false\n";

test.each([
  ["check", ["--json", own("two-prompts.yaml")]],
  ["check", [own("gone.yaml")]],
  ["new", [own("two-prompts.yaml"), "--from", "HEAD"]],
  ["results", ["table.csv"]],
  ["bless", ["series-20260102T030405678Z-0123abcd"]],
  ["judge-test", ["--json", own("two-prompts.yaml")]],
] as const)("abeval %s %p does what the flag of abeval run does", async (name, words) => {
  using directory = temporaryDirectory();
  writeFileSync(join(directory.path, "table.csv"), TABLE);
  const asked = (...args: string[]) => abeval([...args, ...words], { cwd: directory.path });
  const [tool, older] = await Promise.all([asked(name), asked("run", `--${RUN_TOOLS[name].mode}`)]);
  expect(tool.status).toBe(older.status);
  expect(withoutTimes(tool.stdout)).toBe(withoutTimes(older.stdout));
  expect(withoutTimes(tool.stderr)).toBe(
    withoutTimes(older.stderr).replace("abeval run --help", `abeval ${name} --help`),
  );
});

/** Of what both print, the parts that a clock or chance gives. */
const withoutTimes = (text: string) =>
  text.replaceAll(
    /(?<=self-test-two-prompts-)\w*-\w+|\d{4}-\d\d-\d\dT[\d:.]+Z|\d{8}T\d{9}Z|\b\d+(\.\d+)? ?m?s\b|"(duration_ms|checked_at)": ?[^,\n]+/g,
    "",
  );

test("a flag of a run is unknown to a tool, and the tools are no flags of each other", async () => {
  for (const name of NAMES) {
    const stranger = Object.keys(RUN.flags).find((flag) => !Object.hasOwn(toolSpec(name).flags, flag));
    const { stderr, status } = await abeval([name, own("two-prompts.yaml"), `--${stranger}`]);
    expect([status, stderr]).toEqual([2, expect.stringContaining(`See: abeval ${name} --help`)]);
  }
});
