import { expect, test } from "bun:test";
import { loadScenarioFile } from "../../src/comparison/scenario/load-scenario.ts";
import { membersOf } from "../../src/comparison/scenario/loaded-scenario.ts";
import { failureOf, scenarioFolder } from "./scenario-folder.ts";

const TALK = `name: talk
task:
  messages: [{role: user, text: Hello}, {role: assistant, text: How can I help?}]
  prompt: Where is it?
  follow_ups: [Say it in one sentence.]
arms:
  - {id: plain, model: openai/gpt-x, tools: []}
  - {id: warm, model: openai/gpt-x, system_prompt: Be warm.}
rubric: {criteria: [Is it friendly?]}
`;
const MESSAGES = "[{role: user, text: Hello}, {role: assistant, text: How can I help?}]";

async function messageOf(text: string): Promise<string> {
  await using files = await scenarioFolder({ "talk.yaml": text });
  return (await failureOf(loadScenarioFile(files.path("talk.yaml")))).message.replace(/^.*talk\.yaml:/, "");
}

test("a conversation is part of the task, and a file without one says nothing of it", async () => {
  await using files = await scenarioFolder({ "talk.yaml": TALK });
  const { definition } = await loadScenarioFile(files.path("talk.yaml"));
  expect(definition.task).toMatchObject({
    messages: [
      { role: "user", text: "Hello" },
      { role: "assistant", text: "How can I help?" },
    ],
    follow_ups: ["Say it in one sentence."],
  });
  await files.write("talk.yaml", TALK.replace(/ {2}(messages|follow_ups).*\n/g, ""));
  const plain = (await loadScenarioFile(files.path("talk.yaml"))).definition;
  expect(Object.keys(plain.task)).not.toContain("messages");
  expect(Object.keys(plain.task)).not.toContain("follow_ups");
});

test("a row of inputs fills the conversation", async () => {
  const table = TALK.replace("task:", "inputs: [{who: Ada, say: Shorter.}]\ntask:")
    .replace("text: Hello", 'text: "I am {{who}}"')
    .replace("[Say it in one sentence.]", '["{{say}}"]');
  await using files = await scenarioFolder({ "talk.yaml": table });
  const [row] = await membersOf(await loadScenarioFile(files.path("talk.yaml")));
  expect(row?.definition.task.messages?.[0]?.text).toBe("I am Ada");
  expect(row?.definition.task.follow_ups).toEqual(["Shorter."]);
});

test("a mistake in a conversation is told with its place", async () => {
  const cases: readonly (readonly [messages: string, message: string])[] = [
    ["[{role: assistant, text: Hi}, {role: user, text: Hi}]", "expected user: the first message is the user's"],
    ["[{role: user, text: Hi}, {role: user, text: Hi}]", "expected assistant: user and assistant take turns"],
    [
      "[{role: user, text: Hi}, {role: assistant, text: Hi}, {role: user, text: Hi}]",
      "3:67 task.messages[2]: the last message must be the assistant's; what the user says then is `prompt`",
    ],
    ["[{role: user, text: Hi}]", "task.messages"],
    ['[{role: user, text: " "}, {role: assistant, text: Hi}]', "task.messages[0].text: must not be blank"],
    ["[{role: system, text: Hi}, {role: assistant, text: Hi}]", "task.messages[0].role"],
  ];
  for (const [messages, message] of cases) expect(await messageOf(TALK.replace(MESSAGES, messages))).toContain(message);
  expect(await messageOf(TALK.replace("[Say it in one sentence.]", '[" "]'))).toContain(
    "task.follow_ups[0]: must not be blank",
  );
  expect(await messageOf(TALK.replace("[Say it in one sentence.]", "Say it."))).toContain("task.follow_ups");
});

test("an external agent is given a conversation only where it can go on with one", async () => {
  const agent = (name: string) => TALK.replace("tools: []}", `agent: ${name}}`);
  expect(await messageOf(agent("claude-code@c"))).toContain(
    '7:45 arms[0].agent: arm "plain" is an external agent, which cannot be told task.messages',
  );
  const unspoken = (text: string) => text.replace(/ {2}messages.*\n/, "");
  expect(await messageOf(unspoken(agent("pi@p")))).toContain("pi cannot go on with a conversation");
  await using files = await scenarioFolder({ "talk.yaml": unspoken(agent("claude-code@c")) });
  expect((await loadScenarioFile(files.path("talk.yaml"))).definition.arms[0].agent?.use).toBe("claude-code");
});
