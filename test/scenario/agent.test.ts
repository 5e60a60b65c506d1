import { expect, test } from "bun:test";
import { differences } from "../../src/comparison/scenario/declared-differences.ts";
import { scenarioDigest } from "../../src/comparison/scenario/digest.ts";
import { parseScenario } from "../../src/comparison/scenario/parse-scenario.ts";
import type { Arm } from "../../src/domain/arm.ts";
import { Failure } from "../../src/domain/failure.ts";
import { scenarioFolder } from "./scenario-folder.ts";

const scenario = (arms: string) => `name: s
task: { prompt: Fix it. }
arms:
${arms}
rubric: { criteria: [{ measure: turns }] }
`;

async function armsOf(arms: string, directory = "/nowhere"): Promise<readonly [Arm, Arm, ...Arm[]]> {
  const { result } = await parseScenario({ text: scenario(arms), file: "s.yaml", stem: "s", directory });
  if (result instanceof Failure) throw result;
  return result.arms;
}

const mistakes = async (arms: string) =>
  await armsOf(arms).then(
    () => [],
    (failure: Failure) => failure.message.split("\n").map((line) => line.replace(/^s\.yaml:\d+:\d+ /, "")),
  );

const OTHER = "  - { id: other, model: openai/gpt-x }";

test("the short form names a recipe and an install, and everything else has its default", async () => {
  const [arm] = await armsOf(`  - { id: a, agent: "claude-code@claude-2", model: anthropic/claude-x }\n${OTHER}`);
  expect(arm.agent).toEqual({
    ...{ use: "claude-code", command: null, install: "claude-2", args: [], files: null, env: {} },
    ...{ wires: ["anthropic"], tools: {}, side_model: "keep" },
  });
  expect(arm.tools).toEqual([]);
});

test("the long form is kept as written, its files with their digest", async () => {
  await using folder = await scenarioFolder({ "agents/mine/.ours.json": "{}" });
  const [arm] = await armsOf(
    `  - id: a
    model: openai/gpt-x
    agent:
      command: [node, /opt/agent/main.mjs, "{prompt}", "--url={base:openai}"]
      install: ours
      args: [--fast]
      files: { dir: agents/mine }
      env: { MAX_THINKING_TOKENS: "8000" }
      wires: [chat]
      tools: { run_shell: run_command }
      side_model: same
${OTHER}`,
    folder.directory,
  );
  expect(arm.agent).toEqual({
    ...{ use: null, command: ["node", "/opt/agent/main.mjs", "{prompt}", "--url={base:openai}"], install: "ours" },
    files: { dir: "agents/mine", files: {}, digest: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ...{ args: ["--fast"], env: { MAX_THINKING_TOKENS: "8000" }, wires: ["chat"] },
    ...{ tools: { run_shell: "run_command" }, side_model: "same" },
  });
});

test("another version of an agent inherits what is said of it, and another agent does not", async () => {
  const arms = (own: string) => `  - id: old
    model: anthropic/claude-x
    agent: { use: claude-code, install: claude-1, args: [--strict], env: { A: "1" } }
  - { id: new, extends: old, agent: ${own} }`;
  const [, version] = await armsOf(arms("claude-code@claude-2"));
  expect(version.agent).toMatchObject({ install: "claude-2", args: ["--strict"], env: { A: "1" } });
  const [, variable] = await armsOf(arms('{ env: { B: "2" } }'));
  expect(variable.agent).toMatchObject({ install: "claude-1", env: { A: "1", B: "2" } });
  const [, other] = await armsOf(arms("pi@pi-1"));
  expect(other.agent).toMatchObject({ use: "pi", install: "pi-1", args: [], env: {} });
  const [, ours] = await armsOf(arms("null, system_prompt: Be brief."));
  expect([ours.agent, ours.system_prompt]).toEqual([undefined, "Be brief."]);
});

test("what would silently do nothing is refused with where it belongs", async () => {
  expect(
    await mistakes(`  - id: a
    agent: codex@codex-1
    model: openai/gpt-x
    system_prompt: Be brief.
    tools: [read_file]
    params: { temperature: 0 }
    mcp: { fs: { install: fs, command: [node] } }
${OTHER}`),
  ).toEqual([
    "arms[0].system_prompt: does nothing in an arm with `agent`: the agent has its own; add to it by `agent.args` or a file in `agent.files`",
    "arms[0].tools: does nothing in an arm with `agent`: the agent brings its own; `agent.args` can choose among them, `agent.tools` says what they are",
    "arms[0].params: does nothing in an arm with `agent`: the agent decides them; set them by `agent.args`, `agent.env` or `agent.files`",
  ]);
  expect(
    await mistakes(`  - { id: a, model: openai/gpt-x, system_prompt: Be brief. }
  - { id: b, extends: a, agent: codex@codex-1 }`),
  ).toEqual([
    "arms[1].extends: brings system_prompt, which does nothing in an arm with `agent`: the agent has its own; add to it by `agent.args` or a file in `agent.files`",
  ]);
  expect(await mistakes(`  - { id: a, agent: codex@codex-1, model: scripted/x }\n${OTHER}`)).toEqual([
    "arms[0].model: scripted/x replays a script, and an external agent asks a real model; expected <provider>/<model>",
  ]);
});

test("each mistake in an agent is named with what to do", async () => {
  const of = async (agent: string) => await mistakes(`  - { id: a, model: openai/gpt-x, agent: ${agent} }\n${OTHER}`);
  const names = "claude-code, codex, opencode, gemini-cli, qwen-code, pi, continue, copilot, cline";
  expect(await of("claud-code@x")).toEqual([
    `arms[0].agent: there is no agent "claud-code"; did you mean "claude-code"? Expected <recipe>@<install> with ${names}, or a map with \`command\``,
  ]);
  expect(await of("codex")).toEqual([
    "arms[0].agent: missing install; write codex@<install>, or `install`, the name of a directory of --agents-dir",
  ]);
  expect(await of("codex@/usr/lib/codex")).toEqual([
    'arms[0].agent: "/usr/lib/codex" is no install; expected the name of a directory of --agents-dir, never a path',
  ]);
  expect(await of("{ use: codex, install: ../codex }")).toEqual([
    'arms[0].agent.install: "../codex" is no install; expected the name of a directory of --agents-dir, never a path',
  ]);
  expect(await of('{ use: codex, install: c, command: ["{prompt}"] }')).toEqual([
    "arms[0].agent.command: use is given too; keep one of the two",
  ]);
  expect(await of("{ use: codex, install: c, args: [--json, -c, 'model=x'] }")).toEqual([
    "arms[0].agent.args[1]: -c model: the arm's `model` decides, and abeval forces it; take it out",
  ]);
  expect(await of("{ install: c }")).toEqual([
    `arms[0].agent: needs \`use\` or \`command\`; \`use\` is one of ${names}`,
  ]);
  expect(await of('{ command: [run, "{promt}", "{prompt}"] }')).toEqual([
    'arms[0].agent.command[1]: unknown placeholder {promt}; did you mean "prompt"?; there are {prompt}, {prompt_file}, {model}, {key}, {base:anthropic}, {base:openai}, {base:google}',
  ]);
  expect(await of("{ command: [run] }")).toEqual([
    "arms[0].agent.command: names neither {prompt} nor {prompt_file}, so the agent would never learn its task",
  ]);
  expect(await of("{ use: codex, install: c, wires: [anthropic] }")).toEqual([
    "arms[0].agent.wires[0]: codex does not speak it; it speaks responses",
  ]);
  expect(await of("{ use: codex, install: c, files: { dir: /etc } }")).toEqual([
    "arms[0].agent.files.dir: /etc must be relative to the scenario file",
  ]);
});

test("variables that hold keys or lead elsewhere are refused", async () => {
  const refused = [
    "OPENAI_API_KEY",
    "GITHUB_TOKEN",
    "my_secret",
    "HOME",
    "PATH",
    "LD_PRELOAD",
    "OPENAI_BASE_URL",
    "A-B",
  ];
  const env = [...refused, "MAX_THINKING_TOKENS", "NODE_OPTIONS"].map((name) => `${name}: "1"`).join(", ");
  const found = await mistakes(
    `  - { id: a, model: openai/gpt-x, agent: { use: codex, install: c, env: { ${env} } } }\n${OTHER}`,
  );
  expect(found.map((line) => /env[.[]"?([\w-]+)/.exec(line)?.[1])).toEqual(refused);
});

test("agents are a declared difference, and our loop's own settings are none beside an agent", async () => {
  const [claude, newer] = await armsOf(
    `  - { id: a, agent: claude-code@one, model: anthropic/claude-x }\n  - { id: b, extends: a, agent: claude-code@two }`,
  );
  expect(differences(claude, newer)).toEqual(["agent"]);
  const [ours] = await armsOf(`  - { id: a, model: anthropic/claude-x, system_prompt: Be brief. }\n${OTHER}`);
  expect(differences(claude, ours)).toEqual(["agent"]);
});

test("an agent's files are in the digest of the scenario, their place and the install's bytes are not", async () => {
  const digest = async (dir: string, text: string) => {
    await using folder = await scenarioFolder({ [`${dir}/settings.json`]: text });
    const arms = `  - { id: a, model: openai/x, agent: { use: codex, install: c, files: ${dir} } }\n${OTHER}`;
    const { result } = await parseScenario({
      ...{ text: scenario(arms), file: "s.yaml", stem: "s", directory: folder.directory },
    });
    if (result instanceof Failure) throw result;
    return [scenarioDigest(result), result.arms[0].agent?.files?.digest];
  };
  const [[first, files], [second, others], [, moved]] = [
    await digest("one", "{}"),
    await digest("one", "{ }"),
    await digest("two", "{}"),
  ];
  expect([first === second, files === others, files === moved]).toEqual([false, false, true]);
});

test("a required tool is one that an agent may have", async () => {
  const { result } = await parseScenario({
    ...{ file: "s.yaml", stem: "s", directory: "/nowhere" },
    text: `${scenario(`  - { id: a, agent: codex@c, model: openai/x }\n${OTHER}`)}policies: { required: [{ id: ran, tool: run_command }] }\n`,
  });
  expect(result).not.toBeInstanceOf(Failure);
});
