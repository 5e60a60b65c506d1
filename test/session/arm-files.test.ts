import { expect, test } from "bun:test";
import { $ } from "bun";
import { loadScenarioFile } from "../../src/comparison/scenario/load-scenario.ts";
import { rejudge } from "../../src/comparison/session/rejudge.ts";
import type { ScriptTurn } from "../../src/domain/arm.ts";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { playScript } from "../fake-provider/play-script.ts";
import { runOnce, testServices } from "../harness.ts";
import { wellFormed } from "../judge/mock-judge.ts";
import { SANDBOX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { failureOf, scenarioFolder } from "../scenario/scenario-folder.ts";

const RULES = "# House rules\nAlways greet the zebra before you count anything.\nToken: otter-4711-kite\n";
const SKILL =
  "---\nname: iso-dates\ndescription: Dates as the house writes them\n---\nThe year stands first, then a full stop.\n";
const HOOK = "#!/bin/sh\necho a walrus watches over every commit\n";

/** Whatever an arm says of its files: whole lines, parts of them, other line breaks, escapes, names. */
const SAYS = `As CLAUDE.md wants, I greet the zebra before you
count anything. The iso-dates skill says "The year stands first, then a full stop.", and otter-4711-kite.`;

const calls: ScriptTurn[] = [
  { say: "I read .claude/skills/iso-dates/SKILL.md first.", calls: [{ read_file: { path: "CLAUDE.md" } }] },
  { calls: [{ run_command: { command: "cat CLAUDE.md .claude/skills/iso-dates/SKILL.md" } }] },
  {
    calls: [
      { run_command: { command: "grep -rn 'zebra' . ; ls -R .claude; cat CLAUDE.md | tr a-z A-Z; wc -l answer.txt" } },
    ],
  },
  { calls: [{ write_file: { path: "answer.txt", content: `twelve\n${RULES}${SKILL}` } }] },
  { calls: [{ write_file: { path: "docs/iso-dates.txt", content: "twelve\n" } }] },
  { calls: [{ write_file: { path: ".claude/more.txt", content: "thirteen\n" } }] },
  { calls: [{ write_file: { path: "CLAUDE.md", content: "Nothing.\n" } }] },
  { say: SAYS },
];

const scenario = (parts: object = {}) => ({
  name: "notes",
  varies: ["files"],
  task: {
    prompt: "Write twelve into answer.txt.",
    fixture: { files: { "answer.txt": "", "CLAUDE.md": "Of the fixture.\n", ".gitignore": "ignored\n" } },
    probe: {
      checks: [
        {
          id: "fixture",
          run: "grep -q fixture CLAUDE.md && ! test -e .claude/skills && test -e .claude/more.txt",
          before: "fail",
        },
        { id: "says", run: "cat answer.txt; false" },
      ],
    },
  },
  arms: [
    { id: "without", model: "scripted/x", script: [{ say: "Twelve." }] },
    { id: "with", extends: "without", files: { dir: "with", "CLAUDE.md": RULES }, script: calls },
  ],
  rubric: { criteria: ["Is it twelve?"] },
  ...parts,
});

const UNJUDGED = { criteria: [{ measure: "tokens" }], judge: { model: "builtin/evidence" } };

const FILES = { "with/.claude/skills/iso-dates/SKILL.md": SKILL, "with/hooks/walrus-guard.sh": HOOK };

/** Nothing that a judge may read has one of these. */
const CANARIES = [
  ...["zebra before", "count anything", "otter-4711", "house writes", "year stands first", "walrus", "House rules"],
  ...["CLAUDE.md", "iso-dates", "SKILL.md"],
];

const found = (texts: readonly string[]) =>
  CANARIES.filter((canary) => texts.some((text) => text.toLowerCase().includes(canary.toLowerCase())));

const asJudge = playScript({
  scriptOf: () => undefined,
  judge: (request) =>
    wellFormed({ ...request, params: { max_output_tokens: 1 }, timeout_ms: 1 } as never, (_slot, ids) =>
      Object.fromEntries(ids.map((id) => [id, 2])),
    ),
});

testNeeding(SANDBOX)(
  "nothing of an arm's own files reaches the judge, and none of them is a part of the work",
  async () => {
    await using server = await startFakeProvider({ reply: asJudge });
    const services = testServices(server.environment);
    await using folder = await scenarioFolder({ ...FILES, "notes.yaml": JSON.stringify(scenario()) });
    const loaded = await loadScenarioFile(folder.path("notes.yaml"));
    const { outcome } = await runOnce(services, loaded, { judge_model: "anthropic/judge" });
    expect(outcome.failure).toBeNull();
    const [without, with_] = outcome.arms;
    expect(without).not.toHaveProperty("notes");
    expect(with_.notes?.paths).toEqual([".claude/skills/iso-dates/SKILL.md", "CLAUDE.md", "hooks/walrus-guard.sh"]);
    expect(with_.notes?.made).toEqual([".claude", ".claude/skills", ".claude/skills/iso-dates", "hooks"]);
    expect(with_.notes_changed).toEqual(["CLAUDE.md"]);
    expect(with_.skills_used).toEqual([{ name: "iso-dates", first_seq: 4, count: 1 }]);
    expect(with_.changes?.files.map(({ path }) => path)).toEqual([
      ".claude/more.txt",
      "answer.txt",
      "docs/iso-dates.txt",
    ]);
    expect(with_.probe?.checks.map(({ status }) => status)).toEqual(["pass", "fail"]);
    const told = server.requests.map(({ body }) => JSON.stringify(body));
    expect(told.length).toBeGreaterThan(1);
    expect(found(told)).toEqual([]);
    expect(told.every((text) => text.includes("twelve") && text.includes("[not shown]"))).toBe(true);

    await folder[Symbol.asyncDispose]();
    const before = server.requests.length;
    const [arm_a, arm_b] = outcome.arms.map(({ arm_id }) => ({ session_id: outcome.session_id, arm_id }));
    await rejudge(services, { arm_a, arm_b, judge_model: "anthropic/judge" } as never, new AbortController().signal);
    expect(server.requests.length).toBeGreaterThan(before);
    expect(found(server.requests.slice(before).map(({ body }) => JSON.stringify(body)))).toEqual([]);
  },
);

test("the files of both arms are hidden in the words of both", async () => {
  await using server = await startFakeProvider({ reply: asJudge });
  const arms = [
    {
      id: "one",
      model: "scripted/x",
      files: { "ONE.md": "The heron sleeps on one leg at noon." },
      script: [{ say: "The heron sleeps on one leg at noon, says TWO.md." }],
    },
    {
      id: "two",
      model: "scripted/x",
      files: { "TWO.md": "A badger never digs beneath an oak." },
      script: [{ say: "A heron sleeps. The heron sleeps on one leg at noon." }],
    },
  ];
  await using folder = await scenarioFolder({
    "notes.yaml": JSON.stringify(scenario({ arms, task: { prompt: "Say it." } })),
  });
  const loaded = await loadScenarioFile(folder.path("notes.yaml"));
  await runOnce(testServices(server.environment), loaded, { judge_model: "anthropic/judge" });
  const told = server.requests.map(({ body }) => JSON.stringify(body));
  expect(told.filter((text) => /on one leg|TWO\.md/.test(text))).toEqual([]);
  expect(told.every((text) => text.includes("A heron sleeps. [not shown]"))).toBe(true);
});

const refusalOf = async (files: unknown, parts: object = {}, more: Record<string, string> = {}) => {
  const arms = [
    { id: "without", model: "scripted/x", script: [{ say: "Twelve." }] },
    { id: "with", extends: "without", files },
  ];
  await using folder = await scenarioFolder({
    ...FILES,
    ...more,
    "notes.yaml": JSON.stringify(scenario({ arms, ...parts })),
  });
  await $`ln -s /etc/passwd ${folder.path("with/link")}`.quiet();
  const failure = await failureOf(loadScenarioFile(folder.path("notes.yaml")));
  return failure.message.replaceAll(folder.directory, "").replace(/^.*?arms\[1\]/s, "arms[1]");
};

test.each([
  [{ "../x": "a" }, 'arms[1].files["../x"]: the path must not contain `..`'],
  [{ ".git/config": "a" }, "git's own directory"],
  [{ "a.txt": 3 }, "expected text, got 3"],
  [{}, "holds no file"],
  [{ dir: "missing" }, "arms[1].files.dir: missing does not exist"],
  [{ dir: "../.." }, "is not inside the scenarios directory"],
  [{ dir: "with" }, "a link; an arm's own files are plain files"],
  [{ path: "nothing.md" }, "arms[1].files.path: nothing.md does not exist"],
  [{ dir: "with", path: "nothing.md" }, "`dir` is given too; keep one"],
  [{ git: "HEAD" }, "git repository"],
  [{ "tests/x": "a" }, "is protected (policies.paths.protected)"],
  [{ "src/x": "a" }, "counts as the work (task.deliverable)"],
])("%j is refused where it stands", async (files, message) => {
  const task = { prompt: "Do it.", deliverable: ["src/**"] };
  expect(await refusalOf(files, { task, policies: { paths: { protected: ["tests/**"] } } })).toContain(message);
});

test("a file that would take the place of the fixture's directory is refused before a model is asked", async () => {
  const arms = [
    { id: "without", model: "scripted/x", script: [{ say: "Twelve." }] },
    { id: "with", extends: "without", files: { src: "a file" } },
  ];
  const task = { prompt: "Do it.", fixture: { files: { "src/a.ts": "1\n" } } };
  await using folder = await scenarioFolder({
    "notes.yaml": JSON.stringify(scenario({ arms, task, rubric: UNJUDGED })),
  });
  const { outcome } = await runOnce(testServices(), await loadScenarioFile(folder.path("notes.yaml")));
  expect(outcome.failure).toMatchObject({
    code: "invalid_request",
    message: 'arm "with": the arm\'s own files: src cannot lie where the fixture has src',
  });
  expect(outcome.arms.every(({ turns }) => turns === 0)).toBe(true);
});

test("files come from a directory, a commit, or one file of either", async () => {
  await using folder = await scenarioFolder({ "docs/CLAUDE.md": "Of the commit.\n", "with/a.md": "a\n" });
  await $`git init -q && git add . && git -c user.name=a -c user.email=a@b commit -qm one`
    .cwd(folder.directory)
    .quiet();
  await folder.write("docs/CLAUDE.md", "Of today.\n");
  const read = async (files: unknown) => {
    const arms = [
      { id: "without", model: "scripted/x", script: [{ say: "Twelve." }] },
      {
        id: "with",
        extends: "without",
        files,
        script: [{ calls: [{ run_command: { command: "cat CLAUDE.md a.md docs/CLAUDE.md 2>&1" } }] }, { say: "Done." }],
      },
    ];
    await folder.write("notes.yaml", JSON.stringify(scenario({ arms, task: { prompt: "Read." }, rubric: UNJUDGED })));
    const { outcome } = await runOnce(testServices(), await loadScenarioFile(folder.path("notes.yaml")));
    const call = outcome.decisions["with"]?.find(({ kind }) => kind === "tool_call");
    return call?.kind === "tool_call"
      ? call.detail?.output.replaceAll(/(?:cat: .*\n|\[exit code 1\])/g, "")
      : outcome.failure?.message;
  };
  expect(await read("with")).toBe("a\n");
  expect(await read({ path: "docs/CLAUDE.md" })).toBe("Of today.\n");
  expect(await read({ git: "HEAD", path: "docs/CLAUDE.md" })).toBe("Of the commit.\n");
  expect(await read({ git: "HEAD", path: "docs" })).toBe("Of the commit.\n");
  expect(await read({ git: "HEAD", "a.md": "mine\n" })).toBe("mine\nOf the commit.\n");
});
