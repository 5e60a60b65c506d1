import { expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryDirectory } from "../temporary.ts";
import { failureOf, post, recordAll, replayerOf, saying } from "./spoken.ts";

const IDS = ["call_a", "call_b", "call_c", "call_d"];

/** A request whose last turn made four calls, with their results in an order, as each wire writes it. */
type Asks = (order: readonly string[], said?: string) => object;

const textOf = (id: string, said: string) => `the result of ${id}${said}`;
const user = (content: unknown) => ({ role: "user", content });
const block = (id: string, said: string) => ({ type: "tool_result", tool_use_id: id, content: textOf(id, said) });

const WIRES: Readonly<Record<string, Asks>> = {
  "Anthropic's blocks": (order, said = "") => ({
    messages: [user("Begin."), user([...order.map((id) => block(id, said)), { type: "text", text: "Go on." }])],
  }),
  "Anthropic's messages, one each": (order, said = "") => ({
    messages: [user("Begin."), ...order.map((id) => user([block(id, said)]))],
  }),
  "OpenAI's chat": (order, said = "") => ({
    messages: [user("Begin."), ...order.map((id) => ({ role: "tool", tool_call_id: id, content: textOf(id, said) }))],
  }),
  "OpenAI's responses": (order, said = "") => ({
    input: [
      user("Begin."),
      ...order.map((call_id) => ({ type: "function_call_output", call_id, output: textOf(call_id, said) })),
    ],
  }),
  "Gemini's parts": (order, said = "") => ({
    contents: [
      {
        role: "user",
        parts: order.map((id) => ({ functionResponse: { name: "shell", id, response: { output: textOf(id, said) } } })),
      },
    ],
  }),
  "Gemini's parts without ids": (order, said = "") => ({
    contents: [
      {
        role: "user",
        parts: order.map((id) => ({ functionResponse: { name: "shell", response: { output: textOf(id, said) } } })),
      },
    ],
  }),
};

const ordersOf = (ids: readonly string[]): string[][] =>
  ids.length === 0
    ? [[]]
    : ids.flatMap((id) => ordersOf(ids.filter((other) => other !== id)).map((rest) => [id, ...rest]));

test.each(Object.entries(WIRES))(
  "%s: results of parallel calls replay in whatever order they came",
  async (_, asks) => {
    using directory = temporaryDirectory();
    const path = join(directory.path, "one.jsonl");
    const [recorded = [], ...others] = ordersOf(IDS);
    await recordAll(path, [asks(recorded)], saying("told"));
    expect(others).toHaveLength(23);
    for (const order of others)
      expect(await (await post((await replayerOf(path)).fetch(), asks(order))).text()).toBe("told");
    expect(await failureOf(post((await replayerOf(path)).fetch(), asks(recorded, " is another")))).toMatchObject({
      code: "replay_mismatch",
    });
  },
);

test("what is no result stays in its place", async () => {
  using directory = temporaryDirectory();
  const path = join(directory.path, "one.jsonl");
  const asks = (...texts: readonly string[]) => ({ messages: texts.map(user) });
  await recordAll(path, [asks("one", "two")], saying("told"));
  expect(await failureOf(post((await replayerOf(path)).fetch(), asks("two", "one")))).toMatchObject({
    code: "replay_mismatch",
  });
});

test("what is to be ignored need not have been said when it was recorded", async () => {
  using directory = temporaryDirectory();
  const path = join(directory.path, "one.jsonl");
  const asks = (port: number) => ({ messages: [user(`It listens on localhost:${port}.`)] });
  await recordAll(path, [asks(40_213)], saying("told"));
  const replay = async (ignore: readonly string[]) =>
    await post((await replayerOf(path, ignore)).fetch(), asks(38_811));
  expect(await failureOf(replay([]))).toMatchObject({ code: "replay_mismatch" });
  expect(await (await replay(["localhost:[0-9]+"])).text()).toBe("told");
});

const CHANCE: readonly (readonly [what: string, text: (chance: string) => string])[] = [
  ["a helper of Claude Code", (chance) => `Done.\nagentId: ${chance} (for resuming)`],
  ["a helper to which one sends", (chance) => `agentId: ${chance} (use SendMessage with to: '${chance}' to go on)`],
  ["a helper of Codex", (chance) => JSON.stringify({ agent_id: chance, nickname: `Euclid ${chance}` })],
  [
    "one in JSON within JSON",
    (chance) => JSON.stringify({ said: JSON.stringify({ agent_id: chance, nickname: chance }) }),
  ],
  ["a task", (chance) => `<task-id>${chance}</task-id>`],
  [
    "a command in the background",
    (chance) =>
      `Command running in background with ID: ${chance}. Output: /tmp/claude-1000/-workspace/${chance}.output`,
  ],
  [
    "a file of Claude Code with a long output",
    (chance) => `saved to: /home/agent/.claude/projects/-workspace/tool-results/b${chance}.txt\n\nPreview`,
  ],
  [
    "a file of opencode with a long output",
    (chance) => `saved to: /home/agent/.local/share/opencode/tool-output/tool_${chance}\n\n168002`,
  ],
  ["a temporary file of Python", (chance) => `open('/tmp/tmp${chance}')`],
  ["a temporary file of a shell", (chance) => `/tmp/tmp.${chance}AB`],
  ["a call of Gemini CLI", (chance) => `read_file-17${chance.length}0000000001-${Buffer.from(chance).toString("hex")}`],
];

test.each(CHANCE)("%s has an id by chance, which does not count", async (_, text) => {
  using directory = temporaryDirectory();
  const path = join(directory.path, "one.jsonl");
  await recordAll(path, [{ messages: [user(text("a1b2c3d4"))] }], saying("told"));
  const replay = async (said: string) => await post((await replayerOf(path)).fetch(), { messages: [user(said)] });
  expect(await (await replay(text("0f9e8d7c"))).text()).toBe("told");
  expect(await failureOf(replay(`${text("0f9e8d7c")} more`))).toMatchObject({ code: "replay_mismatch" });
});

const CUT = "[... 99999 bytes left out ...]";

test("a text that was cut is what stands beside the cut, also where that is little", async () => {
  using directory = temporaryDirectory();
  const path = join(directory.path, "one.jsonl");
  const asks = (before: string, after: string) => ({ messages: [user(`${before}${CUT}${after}`)] });
  await recordAll(path, [asks("the beginning", "the end"), asks("", "")], saying("told"));
  const replay = async (before: string, after: string) =>
    await post((await replayerOf(path)).fetch(), asks(before, after));
  for (const [before, after] of [
    ["something", "else"],
    ["", "the end"],
    ["the beginning", "another"],
    ["a".repeat(400), "b".repeat(400)],
  ] as const)
    expect(await failureOf(replay(before, after))).toMatchObject({ code: "replay_mismatch" });
  expect(await (await replay("the beginnin", "the end")).text()).toBe("told");
});
