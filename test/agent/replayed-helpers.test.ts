import { expect } from "bun:test";
import type { ExternalAgent } from "../../src/domain/external-agent.ts";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { playAgent } from "../fake-provider/play-agent.ts";
import { SANDBOX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { recordingServices, replayingServices } from "../recording/recorded.ts";
import { temporaryDirectory } from "../temporary.ts";
import { kindsOf, runAgent, shellAgent } from "./plain-agent.ts";

const testAgent = testNeeding(SANDBOX);

/** Makes all calls of a turn at once, reports them in an order by chance, and gives each helper an id by chance. */
const AGENT: ExternalAgent = shellAgent(
  "bun /home/agent/agent.mjs",
  `
  import { exec } from "node:child_process";
  import { randomBytes } from "node:crypto";
  const chance = () => randomBytes(4).toString("hex");
  const headers = { "content-type": "application/json", authorization: "Bearer " + process.env.OPENAI_API_KEY };
  const tools = ["shell", "helper"].map((name) => ({ type: "function", function: { name, parameters: {} } }));
  async function work(task, session) {
    const messages = [{ role: "system", content: "Work. agentId: " + session }, { role: "user", content: task }];
    for (;;) {
      const body = JSON.stringify({ model: "m", messages, tools, prompt_cache_key: session });
      const response = await fetch(process.env.OPENAI_BASE_URL + "/chat/completions", { method: "POST", headers, body });
      const said = (await response.json()).choices[0].message;
      messages.push(said);
      if (!said.tool_calls?.length) return said.content;
      const results = await Promise.all(said.tool_calls.map(async ({ id, function: { name, arguments: given } }) => {
        const input = JSON.parse(given);
        const content = name === "helper" ? await helper(input.task) : await printed(input.command);
        return { role: "tool", tool_call_id: id, content, place: chance() };
      }));
      results.sort((a, b) => (a.place < b.place ? -1 : 1));
      for (const { place, ...result } of results) messages.push(result);
    }
  }
  async function helper(task) {
    const session = chance();
    return (await work(task, session)) + "\\nagentId: " + session + " (internal)";
  }
  const printed = (command) => new Promise((resolve) => exec(command, (_, stdout) => resolve(stdout)));
  console.log(await work("Make it two.", chance()));
  `,
);

const shells = ["echo 1", "echo 2", "echo 3", "echo 4"].map((command) => ({ name: "shell", input: { command } }));
const helperTurns = (answer: string) => [{ calls: shells }, { text: answer }];
const helpers = ["Look left.", "Look right.", "Look left."].map((task) => ({ name: "helper", input: { task } }));
const THREADS = [
  { knownBy: "Look left.", turns: helperTurns("Nothing is left.") },
  { knownBy: "Look right.", turns: helperTurns("All is right.") },
  {
    knownBy: "Make it two.",
    turns: [
      { calls: helpers },
      { calls: [{ name: "shell", input: { command: "echo two > a.txt" } }] },
      { text: "It is two." },
    ],
  },
];

testAgent("parallel calls, and helpers with ids by chance that run at once, replay again and again", async () => {
  using recordings = temporaryDirectory();
  await using fake = await startFakeProvider({ reply: playAgent(THREADS) });
  const recorded = await runAgent(fake, {
    agent: AGENT,
    services: recordingServices(recordings.path, fake.environment),
  });
  expect(recorded.summary).toMatchObject({ stop_reason: "final_answer", turns: 9, tool_calls: 16 });
  for (let again = 0; again < 2; again += 1) {
    const replayed = await runAgent(fake, {
      agent: AGENT,
      services: replayingServices(recordings.path, { strict: true }),
    });
    expect(replayed.outcome.failure).toBeNull();
    expect(kindsOf(replayed).toSorted()).toEqual(kindsOf(recorded).toSorted());
    expect(replayed.summary.final_answer).toBe("It is two.");
    expect(replayed.outcome.verdict).toMatchObject({ outcome: "winner", winner: "agent" });
  }
});
