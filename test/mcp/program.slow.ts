import { expect, test } from "bun:test";
import { isFinal } from "../../src/domain/session.ts";
import { until } from "../turns.ts";
import { connectProgram, type TestClient } from "./client.ts";
import { mcpFolder } from "./folder.ts";

const run = async (server: TestClient, scenario: string) =>
  (await server.call("run_scenario", { scenario, wait_seconds: 50 })).data;

test("a wait that ends before the run does answers with how far it is", async () => {
  using folder = mcpFolder();
  await using server = await connectProgram(folder.args);
  const { data, text } = await server.call("run_scenario", { scenario: "slow", wait_seconds: 1 });
  expect(data.finished).toBe(false);
  expect(text).toContain("It continues in the background.");
});

test("progress tells every decision, in order, before the result", async () => {
  using folder = mcpFolder();
  await using server = await connectProgram(folder.args);
  const told: { progress: number; message?: string | undefined }[] = [];
  const options = {
    onprogress: ({ progress, message }: (typeof told)[number]) => void told.push({ progress, message }),
  };
  await server.call("run_scenario", { scenario: "quick", wait_seconds: 50 }, options);
  const messages = told.map(({ message }) => message ?? "");
  expect(told.map(({ progress }) => progress)).toEqual(told.map((_, index) => index + 1));
  expect(messages.filter((message) => message.startsWith("does"))).toEqual([
    expect.stringMatching(/^does #1 model_turn: /),
    expect.stringMatching(/^does #2 tool_call: write_file hello.txt/),
    "does #3 model_turn: Done.",
    "does #4 final_answer: Done.",
    "does stopped",
  ]);
  expect(messages.at(-1)).toStartWith("verdict: ");
});

test("cancelling the call cancels the run and ends its commands", async () => {
  using folder = mcpFolder();
  await using server = await connectProgram(folder.args);
  const cancel = new AbortController();
  const call = server.call("run_scenario", { scenario: "slow", wait_seconds: 50 }, { signal: cancel.signal });
  await until(() => folder.sleepers().length > 0);
  cancel.abort("not needed any more");
  expect(call).rejects.toThrow("not needed any more");
  const state = async () => (await server.call("list_sessions")).data.sessions[0].state;
  await until(async () => isFinal(await state()));
  expect(await state()).toBe("cancelled");
  expect(folder.sleepers()).toEqual([]);
});

test("rejudge compares arms of two sessions and of one, and refuses two scenarios", async () => {
  using folder = mcpFolder();
  await using server = await connectProgram(folder.args);
  const [first, second, other] = [await run(server, "quick"), await run(server, "quick"), await run(server, "other")];
  const arm = ({ session_id }: { session_id: string }, arm_id: string) => ({ session_id, arm_id });
  const judge_model = "builtin/evidence";
  const across = await server.call("rejudge", {
    arm_a: arm(first, "talks"),
    arm_b: arm(second, "does"),
    judge_model,
  });
  expect(across.data).toMatchObject({
    verdict: { kind: "cross_session", winner: "does", winner_side: "b" },
    stored_in: [first.session_id, second.session_id],
  });
  const within = await server.call("rejudge", { arm_a: arm(first, "does"), arm_b: arm(first, "talks"), judge_model });
  expect(within.data.verdict).toMatchObject({ kind: "rejudge", winner: "does" });
  const { data } = await server.call("get_session", { session_id: first.session_id });
  expect(data.summary.rejudges.map(({ kind }: { kind: string }) => kind)).toEqual(["cross_session", "rejudge"]);
  const mixed = await server.call("rejudge", { arm_a: arm(first, "does"), arm_b: arm(other, "talks"), judge_model });
  expect(mixed).toMatchObject({
    isError: true,
    text: expect.stringMatching(/^scenario_mismatch: .*quick and other/),
  });
});

test("two clients on one state directory see each other's sessions and run at the same time", async () => {
  using folder = mcpFolder();
  await using one = await connectProgram(folder.args);
  await using two = await connectProgram(folder.args);
  const [a, b] = await Promise.all([run(one, "quick"), run(two, "quick")]);
  const listed = async (server: TestClient) =>
    (await server.call("list_sessions")).data.sessions.map((row: { session_id: string }) => row.session_id).sort();
  expect(await listed(one)).toEqual([a.session_id, b.session_id].sort());
  expect(await listed(two)).toEqual(await listed(one));
  const { data } = await one.call("get_session", { session_id: b.session_id });
  expect(data.summary.verdict.winner).toBe("does");
});

test("a key never comes back, whatever is asked", async () => {
  using folder = mcpFolder();
  const key = "sk-canary-0123456789abcdef";
  await using server = await connectProgram(folder.args, {
    OPENAI_API_KEY: key,
    OPENAI_BASE_URL: "http://127.0.0.1:9/v1",
  });
  const answers = [
    await server.call("run_doctor", { scenario: "quick" }),
    await server.call("run_scenario", { scenario: key }),
    await server.call("get_session", { session_id: key }),
  ];
  expect(JSON.stringify(answers)).not.toContain(key);
});
