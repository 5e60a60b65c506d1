import { describe, expect, test } from "bun:test";
import { LEAST_TASKS } from "../../src/domain/defaults.ts";
import type { ImportedResults } from "../../src/domain/results.ts";
import type { TrialRow } from "../../src/domain/trial.ts";
import { wordsText } from "../../src/domain/words.ts";
import { importedSeries, reportOf } from "../../src/statistics/report.ts";
import { sixLines } from "../../src/statistics/six-lines.ts";
import { type Planned, seriesOf } from "./series.ts";
import { alike, rowsOfTasks, type Tasks } from "./tasks.ts";

interface Around extends Planned {
  readonly parts?: Partial<TrialRow>;
  readonly stored?: readonly TrialRow[];
  readonly failed_self_tests?: readonly string[];
}

function told(tasks: Tasks, { parts = {}, stored = [], failed_self_tests = [], ...planned }: Around = {}) {
  const scenarios = tasks.map((_, task) => `S${task}`);
  const series = seriesOf({ scenarios, trials: tasks[0]?.length ?? 1, state: "completed", ...planned });
  return reportOf(series, rowsOfTasks(tasks, parts), { stored, judge_unaudited: false, failed_self_tests });
}

const likeThese = async (tasks: Tasks, around: Around = {}) => (await told(tasks, around)).like_these;

describe("tasks like these", () => {
  test("a task is one unit, by the sign of its mean difference, whatever its trials", async () => {
    const tasks = ["++++", "++-=", "+---", "+-+-", "====", "----"];
    expect(await likeThese(tasks)).toMatchObject({ claim: null, p: 1, tasks: 6, ahead: 2, behind: 2, look: 4 });
    const control = await likeThese(tasks.slice(0, 5), { arms: ["baseline", "candidate"] });
    expect(control).toMatchObject({ tasks: 5, ahead: 1, behind: 2 });
  });

  test("between two looks the last one is shown, and after 64 rounds nothing changes", async () => {
    expect(await likeThese(["+", "-"])).toMatchObject({ look: 1, ahead: 1, behind: 1 });
    expect(await likeThese(["+--", "+--"])).toMatchObject({ look: 2, ahead: 0, behind: 0 });
    expect(await likeThese(alike(2, `${"+".repeat(64)}${"-".repeat(66)}`))).toMatchObject({ look: 64, ahead: 2 });
    expect(await likeThese(["+", ""])).toBeNull();
  });

  test("no fewer than eight tasks claim, however often each is won, and ten do at every look", async () => {
    for (const rounds of [1, 2, 4, 8, 16, 32, 64]) {
      const claims = async (tasks: number) => (await likeThese(alike(tasks, "+".repeat(rounds))))?.claim;
      expect([rounds, await claims(LEAST_TASKS - 1), await claims(10)]).toEqual([rounds, null, "better"]);
    }
    expect((await likeThese(alike(LEAST_TASKS, "+".repeat(8))))?.claim).toBe("better");
    expect((await likeThese(alike(LEAST_TASKS, "-".repeat(16))))?.claim).toBe("worse");
  });

  test("the range is that of the task means, and none is told of few", async () => {
    expect(await likeThese(["++", "++", "==", "--"])).toMatchObject({ low: null, high: null });
    const five = await likeThese(["++", "++", "+=", "==", "+-"]);
    // Mean .5, standard deviation .5; Student's quantile of four degrees of freedom is 2.776.
    expect(five?.low).toBeCloseTo(0.5 - (2.7764451 * 0.5) / Math.sqrt(5), 6);
    expect(five?.high).toBe(1);
  });

  test("a claim has to survive that every missing trial had gone to the arm that is behind", async () => {
    const won = alike(10, "++");
    expect((await likeThese(won))?.claim).toBe("better");
    const lost = ["x++x", "xx++", ...won.slice(2)];
    expect(await likeThese(lost)).toMatchObject({ claim: null, ahead: 10, behind: 0, look: 2 });
    expect((await likeThese(["x++", ...won.slice(1)]))?.claim).toBe("better");
  });

  test("all stored trials of the comparison count, whoever ran them", async () => {
    const tasks = alike(10, "+");
    const place = (row: TrialRow) => ({ ...row, session_id: `${row.session_id}-other`, conduct: null, place: null });
    const stored = rowsOfTasks(alike(10, "---")).map(place);
    expect(await likeThese(tasks, { stored })).toMatchObject({ look: 4, ahead: 0, behind: 10, claim: "worse" });
  });

  test("scores are averaged before the sign is taken", async () => {
    const trials: ImportedResults["scenarios"][number]["trials"] = [
      [1, 0.6, 0.5],
      [2, 0.6, 0.5],
      [3, 0.1, 0.9],
      [4, 0.6, 0.5],
    ];
    const scenarios = Array.from({ length: 10 }, (_, task) => ({ scenario: `S${task}`, trials }));
    const levels = { alpha: 0.05, margin: 0.15 };
    const arms = { a: "candidate", b: "baseline" };
    const series = await importedSeries(
      { measure: "score", tie_margin: 0.05, arms, levels, scenarios },
      { series_id: `results-${"0".repeat(64)}` },
    );
    expect(series.like_these).toMatchObject({ ahead: 0, behind: 10, claim: "worse", look: 4 });
    expect(series.gate_like_these).toEqual({ candidate: null, baseline: "better" });
  });
});

describe("the gate of tasks like these", () => {
  const gates = async (tasks: Tasks, around: Around = {}) => {
    const { gate, gate_like_these } = await told(tasks, around);
    return [gate["candidate"], gate_like_these["candidate"], gate_like_these["baseline"]];
  };
  const WON = alike(20, "+");
  /** Every task is won by one trial more than it is lost. */
  const BLURRED = [...alike(5, "+-+-+-+="), ...alike(5, "-+-+-++=")];

  test("opens for the arm that is ahead on more tasks", async () => {
    expect(await gates(WON)).toEqual(["better", "better", null]);
    expect(await gates(alike(20, "-"))).toEqual([null, null, "better"]);
    expect(await gates(alike(20, "="))).toEqual(["not_worse", null, null]);
  });

  test("opens for a difference that some trials of the tasks blur", async () => {
    expect(await gates(BLURRED, { not_worse_by: 0.1 })).toEqual([null, "better", null]);
  });

  test("is shut by whatever shuts the gate", async () => {
    expect(await gates(WON, { failed_self_tests: ["S0"] })).toEqual([null, null, null]);
    expect(await gates(WON, { parts: { doubts: ["no_contrast"] } })).toEqual([null, null, null]);
    const judge = { model_served: "j-1", cost_usd: 0.5, kin_of: "a" } as const;
    expect(await gates(WON, { parts: { judge } })).toEqual([null, null, null]);
    expect(await gates(BLURRED, { parts: { judge }, not_worse_by: 0.1 })).toEqual([null, null, null]);
    expect(await gates(WON, { arms: ["same", "same"] })).toEqual([undefined, undefined, undefined]);
  });
});

describe("the line of the tasks", () => {
  const line = async (tasks: Tasks) => {
    const series = await told(tasks);
    const { lines } = sixLines(series);
    return [wordsText(lines.find(({ label }) => label === "For")?.words ?? []), series.flags.includes("few_tasks")];
  };

  test("says of few tasks that nothing shows it for others, and of more what is shown, where anything is known", async () => {
    expect(await line(["++"])).toEqual([
      ...["S0 alone, in 2 trials. 1 task cannot show anything of others, however often they run.", true],
    ]);
    expect(await line(alike(4, "+"))).toEqual([
      ...["These 4 tasks, 1 trial of each. 4 tasks cannot show anything of others, however often they run.", true],
    ]);
    expect(await line([...alike(5, "++-"), ...alike(3, "---")])).toEqual(["These 8 tasks, 3 trials of each.", false]);
    expect(await line([...alike(7, "+++"), ...alike(1, "---")])).toEqual([
      "These 8 tasks, 3 trials of each. It is not shown for others like them: candidate is ahead in 7 and behind in 1 after 2 trials of each.",
      false,
    ]);
    expect(await line(alike(10, "+++"))).toEqual([
      "Tasks like these 10, as if they were drawn from one source: candidate is ahead in 10 and behind in 0 after 2 trials of each.",
      false,
    ]);
  });
});
