import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { ARMS, comparing, POLITE, ROWS, told } from "./comparing.ts";
import { type Project, projectWithLibrary } from "./installed.ts";

let project: Project;
beforeAll(async () => {
  project = await projectWithLibrary();
});
afterAll(() => project[Symbol.dispose]());

test("arms see no column that checks look for, unless somebody says so; checks see all", async () => {
  const arms = `arms: { a: (row) => Object.keys(row).join(), b: (row, { messages }) => messages.map(({ text }) => text).join() + Object.keys(row) }`;
  const seen = `const seen = new Set(); const checks = { seen: (answer, row) => { seen.add(answer + " " + row.wanted); return true; } };`;
  const script = (more: string) =>
    comparing(`${arms}, checks, ${more}`, "[...seen].sort()").replace("const r", `${seen}const r`);
  expect((await told(project, script("")))[0]).toBe("What is a?id,question a");
  expect(await told(project, script("hide: []"))).toContain("id,question,wanted a");
});

test("numbers are scores, whether somebody said so or not, and nobody answers twice for that", async () => {
  const script = (check: string) =>
    `let asked = 0;${comparing(
      `arms: { old: () => { asked += 1; return "ab"; }, new_: (row, { trial }) => "please" + trial }, checks: { long: ${check} }, trials: 2`,
      "{ ...r.result, asked }",
    )}`;
  const own = {
    measure: "score",
    value: { control: expect.closeTo(0.2), candidate: expect.closeTo(0.7) },
    n: 6,
    asked: 6,
  };
  expect(await told(project, script("(answer) => answer.length / 10"))).toMatchObject(own);
  const declared = "{ run: (a) => ({ score: a.length / 10, why: 'seven' }), score: true }";
  expect(await told(project, script(declared))).toMatchObject(own);
  const passing = "{ run: (answer) => answer.length / 10, minScore: 0.5 }";
  expect(await told(project, script(passing))).toMatchObject({ measure: "solved", ahead: 6 });
});

test("what a function throws, or gives that cannot be used, is told in words", async () => {
  const failures = "r.failures.map(({ arm, check, row, message }) => [arm ?? check, row, message])";
  const said = async (arm: string, check = "() => true", more = "") =>
    await told(
      project,
      comparing(
        `arms: { old: () => "a", new_: ${arm} }, checks: { check: ${check} }, ${more}`,
        `{ failures: ${failures}, lines: r.lines, state: r.series.state, result: r.result }`,
      ).replace(ROWS, '[{"q": 1}]'),
    );
  const thrown = await said(
    `() => { throw new RangeError("no luck\\n today"); }`,
    "(answer) => answer.startsWith('a')",
  );
  expect(thrown).toMatchObject({
    failures: [["new_", "1", "RangeError: no luck today"]],
    state: "completed",
    result: { ahead: 0, behind: 1 },
  });
  expect(thrown.lines.at(-1)).toBe("Failed: arm new_, 1 time, first with row 1: RangeError: no luck today");
  expect((await said("() => {}")).failures[0][2]).toMatch("the function returned nothing; return a text or {answer}");
  expect((await said("() => 'x'.repeat(5e6)")).failures[0][2]).toMatch("the answer has 5000000 characters");
  const hung = await said("() => new Promise(() => {})", "(answer) => answer === 'a'", "maxSeconds: 0.5");
  expect(hung).toMatchObject({
    failures: [["new_", "1", "gave nothing while it was waited for"]],
    result: { behind: 1 },
  });
  const unchecked = await said("() => 'b'", "() => { throw new Error('no file'); }");
  expect(unchecked).toMatchObject({
    failures: [
      ["check", "1", "Error: no file"],
      ["check", "1", "Error: no file"],
    ],
    result: null,
  });
  expect((await said("() => 'b'", "() => {}")).failures[0][2]).toMatch(
    "the check returned nothing; return true, false,",
  );
  expect((await said("() => 'b'", "() => 7")).failures[0][2]).toMatch("the check returned 7; a number is from 0 to 1");
});

test("a function of the same source is the same arm, one of another source another", async () => {
  const state = join(project.path, "state");
  const script = (arm: string) =>
    comparing(
      `arms: { old: () => "a" + Math.random(), new_: ${arm} }, checks: { ${POLITE} }, stateDir: ${JSON.stringify(state)}`,
      "{ plan: r.series.plan.scenarios.map(({ comparison }) => comparison) }",
    );
  const own = "() => 'please ' + Math.random()";
  const [first, again, other] = [
    await told(project, script(own)),
    await told(project, script(own)),
    await told(project, script(`${own} + 1`)),
  ];
  expect(again.plan).toEqual(first.plan);
  expect(other.plan).not.toEqual(first.plan);
});

test("wrong use says what is wrong, before anything is asked", async () => {
  const refusal = async (options: string, env = {}) => {
    const { status, stderr } = await project.run(comparing(options), { env });
    expect(status).toBe(1);
    return stderr;
  };
  const checks = "checks: { c: () => true }";
  expect(await refusal(`arms: { a: 1, b: () => "" }, ${checks}`)).toContain("arms.a is no function");
  expect(await refusal(`arms: { 1: () => "", b: () => "" }, ${checks}`)).toContain('arms: "1" is a number');
  expect(await refusal(`arms: { a: () => "", b: () => "" }`)).toContain("nothing says which answer is better");
  expect(await refusal(`arms: { a: () => "" }, ${checks}`)).toContain("arms");
  expect(await refusal(`${ARMS}, ${checks}, trials: 0`)).toContain("--trials");
  expect(await refusal(`${ARMS}, ${checks}`, { ABEVAL_BIN: "abeval" })).toContain("give an absolute path");
  expect(await refusal(`${ARMS}, ${checks}`, { ABEVAL_BIN: "/nowhere/abeval" })).toContain("abeval does not start");
});

test("more than two arms are a contest, and a table larger than a pipe takes runs whole", async () => {
  const arms = `arms: { one: (row, { trial }) => "a" + trial, two: () => "b", three: (row, { trial }) => "please" + trial }`;
  const contest = await told(project, comparing(`${arms}, checks: { ${POLITE} }, control: "two"`, "r"));
  expect(contest).toMatchObject({ kind: "contest", contest: { control: "two" } });
  const large = comparing(`${ARMS}, checks: { ${POLITE} }`, "r.result").replace(
    ROWS,
    `[1, 2, 3].map((id) => ({ id, question: "x".repeat(100_000) }))`,
  );
  expect(await told(project, large)).toMatchObject({ ahead: 3, n: 3 });
});

test("results that were made elsewhere are compared", async () => {
  const script = `
import { results } from "abeval";
const rows = [1, 2, 3, 4].flatMap((n) => ["old", "new"].map((arm) => ({ scenario: "s" + n, trial: 1, arm, passed: arm === "new" })));
console.log(JSON.stringify((await results(rows)).result));
`;
  expect(await told(project, script)).toMatchObject({ measure: "solved", candidate: "new", ahead: 4, behind: 0 });
});
