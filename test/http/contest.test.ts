import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Contest } from "../../src/domain/contest.ts";
import type { DoctorReport } from "../../src/domain/doctor-report.ts";
import type { SessionOutcome } from "../../src/domain/session.ts";
import type { Verdict } from "../../src/domain/verdict.ts";
import { type Pruning, planPrune, prune } from "../../src/store/pruning.ts";
import { aService, readStream, type TestService } from "./service.ts";

const LONG = "what the good arm wrote";

/** Each arm writes a file, and says something. */
const THREE = `
name: three
title: Three arms
task: {prompt: Write a file., fixture: ./files}
arms:
  - {id: old, model: scripted/old, script: [{calls: [{write_file: {path: a.txt, content: old}}]}, {say: Old.}]}
  - {id: good, model: scripted/good, script: [{calls: [{write_file: {path: a.txt, content: ${LONG}}}]}, {say: Good.}]}
  - {id: bad, model: scripted/bad, script: [{calls: [{write_file: {path: b.txt, content: bad}}]}, {say: Bad.}]}
rubric:
  criteria: [{id: turns, measure: turns}]
  judge: {model: builtin/evidence}
`;

async function withContest(service: TestService) {
  const { directory } = service.services.catalog;
  mkdirSync(join(directory, "files"));
  writeFileSync(join(directory, "files/readme.txt"), "Begin.\n");
  writeFileSync(join(directory, "three.yaml"), THREE);
  const contest = { mode: "best", keep_running: true };
  const started = await service.post("/api/series", { scenarios: ["three"], trials: 1, contest });
  expect(started.status, await started.clone().text()).toBe(202);
  const { series_id } = (await started.json()) as { series_id: string };
  const { events } = await readStream(await service.get(`/api/series/${series_id}/stream`));
  const report = (await (await service.get(`/api/series/${series_id}`)).json()) as Contest;
  const sessions = await Promise.all(
    report.trials.map(async ({ session_id }) => await sessionOf(service, session_id ?? "")),
  );
  return { series_id, events, report, sessions };
}

const sessionOf = async (service: TestService, id: string) =>
  (await (await service.get(`/api/sessions/${id}`)).json()) as SessionOutcome;

/** By arm: what its sessions show of it. */
function shownIn(sessions: readonly SessionOutcome[], arm: string) {
  return sessions.flatMap(({ arms, decisions }) => {
    const own = arms.find(({ arm_id }) => arm_id === arm);
    return own ? [{ change: own.changes?.patch, said: own.final_answer, decisions: decisions[arm] }] : [];
  });
}

test("the sessions of a round show one run of each arm, whole, and keep it once", async () => {
  await using service = aService({ persistent: true });
  const { events, report, sessions } = await withContest(service);
  expect(report).toMatchObject({ kind: "contest", state: "completed", rounds: 1 });
  expect(events.filter(({ event }) => event === "verdict_ready")).toHaveLength(3);
  for (const arm of ["old", "good", "bad"]) {
    const [first, second, ...others] = shownIn(sessions, arm);
    expect(first?.decisions?.length).toBeGreaterThan(2);
    expect([second, others]).toEqual([first, []]);
  }
  // Its definition has the script of the arm.
  const kept = async (session_id: string) =>
    (await service.services.store.read(session_id)).filter(({ entry }) => entry.type !== "created");
  const logs = await Promise.all(sessions.map(({ session_id }) => kept(session_id)));
  const holding = logs.filter((log) => JSON.stringify(log).includes(LONG));
  expect(holding).toHaveLength(1);
});

test("reports, log and a second judging of a session have the runs of others that it shows", async () => {
  await using service = aService({ persistent: true });
  const { series_id, sessions } = await withContest(service);
  const last = sessions.find(({ arms }) => arms.every(({ shared }) => shared)) as SessionOutcome;
  const { session_id } = last;
  const text = async (path: string) => {
    const answer = await service.get(path);
    expect(answer.status, path).toBe(200);
    return await answer.text();
  };
  expect(last.arms.map(({ arm_id }) => arm_id)).toEqual(["good", "bad"]);
  expect(await text(`/api/sessions/${session_id}/trajectory?arm_id=good`)).toContain(LONG);
  expect(await text(`/api/sessions/${session_id}/report`)).toContain("good");
  expect(await text(`/api/series/${series_id}/members`)).toContain(LONG);
  expect(await text(`/api/series/${series_id}/report?format=markdown`)).toContain("| good |");
  const [other] = sessions.filter(({ arms }) => arms[0].arm_id === "old" && arms[1].arm_id === "good");
  const judged = async (arm_a: object, arm_b: object) => {
    const answer = await service.post("/api/verdicts", { arm_a, arm_b });
    expect(answer.status).toBe(200);
    return (await answer.json()) as Verdict;
  };
  const bad = { session_id, arm_id: "bad" };
  const own = await judged({ session_id, arm_id: "good" }, bad);
  expect(own).toMatchObject({ kind: "rejudge", outcome: last.verdict?.outcome });
  const crossed = await judged({ session_id: other?.session_id ?? "", arm_id: "good" }, bad);
  expect(crossed).toMatchObject({ kind: "cross_session", outcome: last.verdict?.outcome });
});

test("a contest is deleted as a whole, and nothing else with it", async () => {
  await using service = aService({ persistent: true });
  const { series_id, sessions } = await withContest(service);
  await service.post("/api/runs", { scenario: "quick" });
  const pruning = service.services.store.pruning as Pruning;
  const { goes } = await planPrune(pruning, { scenarios: ["three"] });
  expect(goes).toMatchObject([{ kind: "series", id: series_id, sessions: 3 }]);
  // However small the part is that must go.
  const [oldest] = (await planPrune(pruning, { scenarios: [], keep_bytes: 0 })).goes;
  expect(oldest).toMatchObject({ id: series_id, sessions: 3 });
  expect(await prune(pruning, goes)).toBe(3);
  for (const { session_id } of sessions) expect((await service.get(`/api/sessions/${session_id}`)).status).toBe(404);
  expect((await service.get(`/api/series/${series_id}`)).status).toBe(404);
  expect((await service.services.store.list({})).map(({ scenario }) => scenario)).toEqual(["quick"]);
});

test("doctor says what a contest of the arms would take", async () => {
  await using service = aService();
  writeFileSync(join(service.services.catalog.directory, "three.yaml"), THREE.replace(", fixture: ./files", ""));
  const estimated = async (query: string) => {
    const answer = await service.get(`/api/doctor?scenario=three&trials=20${query}`);
    return ((await answer.json()) as DoctorReport).estimate?.series?.contest;
  };
  const arms = ["old", "good", "bad"].map((arm_id) => ({ arm_id, trials: 20, likely_usd: 0, bound_usd: 0 }));
  expect(await estimated("")).toMatchObject({ mode: "against", control: "old", pairs: 2, arms });
  expect(await estimated("&contest=best")).toMatchObject({ mode: "best", control: null, pairs: 3, arms });
  expect((await service.get("/api/doctor?scenario=three&trials=20&control=nobody")).status).toBe(404);
  const two = await service.get("/api/doctor?scenario=quick&trials=20&contest=best");
  expect(await two.text()).toContain("the scenario has two arms (left, right), which make no contest");
});
