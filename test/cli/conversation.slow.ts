import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { Value } from "@sinclair/typebox/value";
import { SessionOutcome } from "../../src/domain/session.ts";
import { abeval } from "../abeval.ts";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { scenarioFolder } from "../scenario/scenario-folder.ts";
import { temporaryDirectory } from "../temporary.ts";

const task = (more: object = {}) => ({
  messages: [
    { role: "user", text: "Hello" },
    { role: "assistant", text: "How can I help?" },
  ],
  prompt: "Where is it?",
  follow_ups: ["As JSON."],
  deliverable: "answer",
  probe: {
    checks: [
      { id: "first", answer_contains: "on its way", required: true },
      { id: "json", answer_json: { type: "object", required: ["place"] } },
      { id: "file", run: `printf 'It is on its way.\\n\\n{"place":1}' | cmp - "$ABEVAL_EVIDENCE/answer.txt"` },
    ],
  },
  ...more,
});

const talk = (arms: readonly object[], more?: object) =>
  JSON.stringify({
    name: "talk",
    task: task(more),
    arms: arms.map((arm, index) => ({ id: index === 0 ? "knows" : "guesses", tools: [], ...arm })),
    rubric: { criteria: [{ measure: "probe_score" }], judge: { model: "builtin/evidence" } },
  });

const scripted = (...says: string[]) => ({ model: "scripted/a", script: says.map((say) => ({ say })) });
const ARMS = [scripted("It is on its way.", '{"place":1}'), scripted("No idea.", "{}")];

async function run(scenario: string, args: string, env: Record<string, string> = {}) {
  await using folder = await scenarioFolder({ "talk.yaml": scenario });
  using state = temporaryDirectory();
  const all = ["run", folder.path("talk.yaml"), "--sandbox", "none", "--state-dir", state.path, ...args.split(" ")];
  const { stderr, status } = await abeval(all.filter(Boolean), { env });
  const sessions = join(state.path, "sessions");
  const file = status === 0 ? readdirSync(sessions)[0] : undefined;
  const outcome = file === undefined ? undefined : ((await Bun.file(join(sessions, file)).json()) as SessionOutcome);
  return { outcome: outcome ?? expect.unreachable(stderr), stderr };
}

test("a conversation runs to its end, is checked as a whole and stored with every answer", async () => {
  const { outcome } = await run(talk(ARMS), "");
  expect(Value.Check(SessionOutcome, outcome)).toBe(true);
  const [knows, guesses] = outcome.arms;
  expect(knows).toMatchObject({ final_answer: '{"place":1}', answers: ["It is on its way.", '{"place":1}'] });
  expect(guesses.answers).toEqual(["No idea.", "{}"]);
  expect(knows.probe?.checks.map(({ id, status }) => `${id} ${status}`)).toEqual([
    "first pass",
    "json pass",
    "file pass",
  ]);
  expect(guesses.probe?.passed).toBe(0);
  expect(outcome.decisions["knows"]?.map(({ kind }) => kind)).toEqual([
    ...(["model_turn", "final_answer", "follow_up", "model_turn", "final_answer"] as const),
  ]);
  expect(outcome.verdict?.winner).toBe("knows");
});

test("a recorded conversation replays without its provider, and not with other follow-ups", async () => {
  using tape = temporaryDirectory();
  const arms = [{ model: "openai/m" }, { model: "openai/m", system_prompt: "Guess." }];
  const recorded = await (async () => {
    await using fake = await startFakeProvider({
      reply: ({ messages }) => ({ text: messages.length > 4 ? '{"place":1}' : "It is on its way." }),
    });
    return await run(talk(arms), `--record ${tape.path}`, fake.environment);
  })();
  const replayed = await run(talk(arms), `--replay ${tape.path}`);
  const answers = ({ outcome }: typeof recorded) => outcome.arms.map((arm) => arm.answers);
  expect(answers(recorded)[0]).toEqual(["It is on its way.", '{"place":1}']);
  expect(answers(replayed)).toEqual(answers(recorded));
  const other = await run(talk(arms, { follow_ups: ["As XML."] }), `--replay ${tape.path}`).catch(String);
  expect(other).toContain("follow_ups");
});
