import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { CELL_BYTES, type GridRow } from "../../src/domain/cell.ts";
import type { Series } from "../../src/domain/series.ts";
import { abeval } from "../abeval.ts";
import { temporaryDirectory } from "../temporary.ts";

/** Steers a terminal, turns its direction, leaves a fence, a page and a line. */
const WILD = "\u001b[2J\u202e```\n</pre><script>x</script>\r| [a](http://evil.example) |\u2028\u0007";

/** Four questions: the new arm is wrong in one, right alone in another, as the old one in two. Of its answers one is long and one wild. */
const ROWS = [
  ["long", "Say much.", "much", `much ${"x".repeat(100_000)}`, "much"],
  ["paris", "Capital of France?", "Paris", "It is Lyon.", "It is Paris."],
  ["same", "One and one?", "2", "2", "2"],
  ["wild", "Say it.", "it", `it ${WILD}`, "no"],
] as const;

const SCENARIO = `name: questions
inputs: ${JSON.stringify(ROWS.map(([id, question, must, next, before]) => ({ id, question, must, next, before })))}
task:
  prompt: "Answer: {{question}}"
  deliverable: answer
  probe: {checks: [{id: right, answer_contains: "{{must}}", required: true}]}
arms:
  - {id: old, model: scripted/old, tools: [], system_prompt: Old., script: [{say: "{{before}}"}]}
  - {id: new, model: scripted/new, tools: [], system_prompt: New., script: [{say: "{{next}}"}]}
rubric: {criteria: [{measure: probe_score}], judge: {model: builtin/evidence}}
`;

/** As the new one, but polite: it is right where the old one is not. */
const THIRD =
  '\n  - {id: third, model: scripted/third, tools: [], system_prompt: Third., script: [{say: "{{next}}, please"}]}\nrubric:';

async function stored(scenario = SCENARIO) {
  const directory = temporaryDirectory();
  const { path } = directory;
  writeFileSync(join(path, "questions.yaml"), scenario);
  const run = (args: string) => abeval(args.split(" "), { cwd: path });
  const ran = await run("run questions.yaml --quiet --state-dir state --markdown o.md --html o.html");
  expect(ran.status, ran.stderr).toBe(0);
  const series: Series = JSON.parse(ran.stdout);
  const read = (name: string) => Bun.file(join(path, name)).text();
  const show = (args = "") => run(`show ${series.series_id}${args} --state-dir state`);
  return { ...directory, series, run, read, show, [Symbol.dispose]: () => directory[Symbol.dispose]() };
}

const UNSEEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

test("reports of a table and abeval show tell what the candidate got wrong, and what arms wrote is inert in each", async () => {
  using kept = await stored();
  const [markdown, html, shown] = [await kept.read("o.md"), await kept.read("o.html"), await kept.show()];
  for (const text of [markdown, html, shown.stdout]) {
    expect(text).not.toMatch(UNSEEN);
    expect(text.length).toBeLessThan(60_000);
  }
  const wrong = 'new failed right (the answer does not contain "Paris")';
  expect(markdown).toContain("### Where they differ: 2 rows\n\n**questions&#91;paris&#93;**: old won trial 2\n");
  expect(markdown).toContain("- question: Capital of France?\n");
  expect(markdown).toContain(`${wrong}, score 0.00. Its answer:\n\n\`\`\`text\nIt is Lyon.\n\`\`\`\n`);
  expect(markdown).toContain("\n````text\nit [2J```\n");
  expect(html).not.toContain("<script>");
  expect(html).toContain("new</span> failed right (the answer does not contain &#34;Paris&#34;), score 0.00");
  expect(shown.status, shown.stderr).toBe(0);
  const heads = [...shown.stdout.matchAll(/^questions\[(\w+)\]: (\w+ won|no winner)/gm)].map(([, id, what]) => [
    id,
    what,
  ]);
  expect(heads.slice(0, 4)).toEqual([
    ["paris", "old won"],
    ["wild", "new won"],
    ["long", "no winner"],
    ["same", "no winner"],
  ]);
  expect(shown.stdout.replaceAll(/\s+/g, " ")).toContain(wrong);
});

test("abeval show tells all that is kept of a row, and of a session, at most 2 kB an arm", async () => {
  using kept = await stored();
  const paris = await kept.show(" paris");
  expect(paris.stdout).toContain("question: Capital of France?");
  expect(paris.stdout).toContain("Its answer:\n    It is Lyon.\n");
  expect((await kept.show(" questions[paris]")).stdout).toBe(paris.stdout);
  const wild = await kept.show(" wild");
  expect(wild.stdout).not.toMatch(UNSEEN);
  const long: GridRow = JSON.parse((await kept.show(" long --json")).stdout);
  expect(long.cells.map((cell) => [cell.arm_id, cell.cut])).toEqual([
    ["old", undefined],
    ["new", true],
  ]);
  expect(Buffer.byteLength(JSON.stringify(long.cells[1]))).toBeLessThanOrEqual(CELL_BYTES);
  const session_id = kept.series.trials[1]?.session_id;
  const session = await kept.run(`show ${session_id} --state-dir state`);
  expect(session.stdout).toContain("Its answer:\n    It is Lyon.\n");
  expect(session.stdout).toContain("In this one run of questions[paris],");
  expect(JSON.parse((await kept.run(`show ${session_id} --json --state-dir state`)).stdout)).toMatchObject({
    ...{ session_id, input: { id: "paris" }, verdict: { input: "paris" } },
  });
  const { series_id, conclusion } = kept.series;
  expect(JSON.parse((await kept.show(" --json")).stdout)).toMatchObject({ series_id, conclusion });
});

test("of a contest the rows that differ come first, with what every arm left, and each is shown whole", async () => {
  using kept = await stored(SCENARIO.replace("\nrubric:", THIRD));
  const [markdown, html, { stdout }] = [await kept.read("o.md"), await kept.read("o.html"), await kept.show()];
  for (const text of [markdown, html, stdout]) {
    expect(text).not.toMatch(UNSEEN);
    expect(text.length).toBeLessThan(60_000);
  }
  expect(markdown).toContain("### Where they differ: 2 rows\n\n**questions&#91;paris&#93;**: round 1\n");
  expect(markdown).toContain("third failed no check, score 1.00. Its answer:\n\n````text\nit ");
  expect(html).not.toContain("<script>");
  expect(html).toContain('<th scope="col">old</th><th scope="col">new</th><th scope="col">third</th>');
  expect([...stdout.matchAll(/^questions\[(\w+)\]/gm)].map(([, id]) => id)).toEqual(["paris", "wild", "long", "same"]);
  const paris: GridRow = JSON.parse((await kept.show(" paris --json")).stdout);
  expect(paris.cells.map(({ arm_id, answer, score }) => [arm_id, answer, score])).toEqual([
    ["old", "It is Paris.", 1],
    ["new", "It is Lyon.", 0],
    ["third", "It is Lyon., please", 0],
  ]);
  const told = (await kept.show(" paris")).stdout;
  for (const { session_id = "" } of paris.cells) expect(told.split("session: ")[1]).toContain(session_id);
});

const REFUSED = [
  ["", "missing <id>"],
  ["series-20260102T030405678Z-0123abcd --state-dir state", 'there is no series "series-20260102T030405678Z-0123abcd"'],
  ["session-x-20260102T030405678Z --state-dir state", 'there is no session "session-x-20260102T030405678Z"'],
  ["session-x-20260102T030405678Z row --state-dir state", "a session has no rows"],
  ["SERIES parris --state-dir state", 'there is no row "parris"'],
  ["SERIES a b --state-dir state", 'unexpected "b"'],
  ["SERIES --state-dir nowhere", "no sessions are kept there"],
  ["SERIES", "where are the sessions?"],
] as const;

test("abeval show refuses in words what it cannot show", async () => {
  using kept = await stored();
  for (const [args, words] of REFUSED) {
    const { status, stdout, stderr } = await kept.run(`show ${args.replace("SERIES", kept.series.series_id)}`.trim());
    expect([args, status, stdout]).toEqual([args, 2, ""]);
    expect(stderr).toContain(words);
  }
});
