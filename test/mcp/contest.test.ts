import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { talkServices, talkText } from "../session/series.ts";
import { type Linked, linked } from "./linked.ts";

/** A server with the scenario `talk` of three arms, and a judge who prefers b, and finds the others equal. */
async function talking(): Promise<Linked> {
  const { resolveModel } = talkServices({ judge: () => "b" });
  const server = await linked({ resolveModel });
  const text = talkText().replace("rubric:", "  - {id: c, model: fake/c, tools: []}\nrubric:");
  writeFileSync(join(server.services.catalog.directory, "talk.yaml"), text);
  await server.client.listTools();
  return server;
}

const BEST = { scenario: "talk", trials: 2, contest: { mode: "best", keep_running: true }, wait_seconds: 50 };

interface Listed {
  readonly session_id: string;
  readonly arms: readonly { readonly arm_id: string }[];
}

test("three arms are compared in one call, with a line for each, the best first", async () => {
  await using server = await talking();
  const told: string[] = [];
  const onprogress = ({ message = "" }: { message?: string | undefined }) => void told.push(message);
  const { data, text } = await server.call("run_scenario", BEST, { onprogress });
  expect(data).toMatchObject({
    ...{
      finished: true,
      contest: { kind: "contest", state: "completed", rounds: 2, gate: { a: null, b: null, c: null } },
    },
  });
  expect(data.contest.contest).toMatchObject({
    mode: "best",
    control: null,
    arms: [{ arm_id: "b", rank: [1, 3] }, {}, {}],
  });
  expect(text).toStartWith("No arm is out: each of these 3 may be best\n");
  expect(text).toContain("\nb, best? may be best, rank 1 to 3, lead over the others +100, trials 2\n");
  expect(told.toSorted()).toEqual([
    ...["talk, a vs b: b won", "talk, a vs b: b won"],
    ...["talk, a vs c: tie", "talk, a vs c: tie"],
    ...["talk, b vs c: b won", "talk, b vs c: b won"],
  ]);
});

test("a contest is read and listed, with its sessions, in which each arm shows its run", async () => {
  await using server = await talking();
  const { data, text } = await server.call("run_scenario", BEST);
  const { series_id } = data;
  const read = await server.call("get_session", { session_id: series_id });
  expect(read.data).toMatchObject({ state: "completed", detail: "summary", contest: data.contest });
  expect(read.text).toStartWith(text);
  const list = await server.call("list_sessions", { kind: "series" });
  expect(list.data.series).toMatchObject([{ series_id, contest: true, arms: ["a", "b", "c"] }]);
  expect(list.data.series[0].control).toBeUndefined();
  expect(list.text).toContain("completed (exhausted), contest of 3 arms, 6 trials; a vs b vs c, judge fake/judge");
  expect(text).toContain(`Its sessions: list_sessions with series_id "${series_id}"`);
  const { data: trials } = await server.call("list_sessions", { series_id });
  const pairs = trials.sessions.map(({ arms }: Listed) => arms.map(({ arm_id }) => arm_id).join());
  expect(pairs.toSorted()).toEqual(["a,b", "a,b", "a,c", "a,c", "b,c", "b,c"]);
  const { session_id } = trials.sessions.find(({ arms }: Listed) => arms[0]?.arm_id === "b");
  const steps = await server.call("get_session", { session_id, detail: "decisions" });
  expect(steps.text).toMatch(/^b: 2 of 2 decisions\n#1 model_turn: arm b says \d/);
  const judged = await server.call("rejudge", {
    arm_a: { session_id, arm_id: "b" },
    arm_b: { session_id: trials.sessions.find(({ arms }: Listed) => arms[1]?.arm_id === "b").session_id, arm_id: "a" },
  });
  expect(judged.data.verdict).toMatchObject({ outcome: "winner", winner: "b" });
});

test("one run takes two of the arms, and says so where they are not named", async () => {
  await using server = await talking();
  const unnamed = await server.call("run_scenario", { scenario: "talk" });
  expect(unnamed.text).toContain("name them as arms: [a, b], or run all as a series, which makes a contest");
  const { data } = await server.call("run_scenario", { scenario: "talk", arms: ["a", "c"], wait_seconds: 50 });
  expect(data.summary.arms.map(({ arm_id }: { arm_id: string }) => arm_id)).toEqual(["a", "c"]);
  const both = await server.call("run_scenario", { scenario: "talk", arms: ["a", "c"], trials: 2 });
  expect(both.text).toContain("arms: names the arms of one run; a series compares all, so leave it out");
});

test("a scenario of three arms is shown, and says what a contest of it would take", async () => {
  await using server = await talking();
  const { data } = await server.call("get_scenario", { name: "talk" });
  expect(data.arms.map(({ id }: { id: string }) => id)).toEqual(["a", "b", "c"]);
  const asked = { scenario: "talk", trials: 30, contest: "best" };
  const { text } = await server.call("run_doctor", asked);
  expect(text).toMatch(
    /30 trials of each of 3 arms tell an arm out, where the best one wins 7 of 10 in \d+% of series/,
  );
});
