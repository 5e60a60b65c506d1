import { expect, test } from "bun:test";
import { openCatalog } from "../../src/comparison/scenario/scenario-catalog.ts";
import type { Services } from "../../src/doors/operation/operation.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { readSession } from "../../src/store/read-session.ts";
import { EXAMPLES } from "../harness.ts";
import { anOutcome } from "../outcomes.ts";
import { keep } from "../stored.ts";
import { type Linked, linked } from "./linked.ts";

/** All that a client gives a model which shows it only text. */
async function told({ client }: Linked, name: string, args: Readonly<Record<string, unknown>>): Promise<string[]> {
  const { content } = await client.callTool({ name, arguments: { ...args } });
  return (content as { text: string }[]).map(({ text }) => text); // no tool of ours answers with anything else
}

async function withRun(changes: Partial<Services> = {}): Promise<Linked & { readonly session_id: string }> {
  const server = await linked(changes);
  const { data } = await server.call("run_scenario", { scenario: "hidden", wait_seconds: 50 });
  return { ...server, session_id: data.session_id };
}

test("what is hidden and was asked for stands in the text", async () => {
  await using server = await linked();
  const open = (await told(server, "get_scenario", { name: "hidden" })).join("\n");
  expect(open).not.toContain("CANARY");
  const [, json = ""] = await told(server, "get_scenario", { name: "hidden", include_hidden: true });
  const { data } = await server.call("get_scenario", { name: "hidden", include_hidden: true });
  const { prompt: _, ...task } = data.task;
  const arms = data.arms.map(({ system_prompt: _prompt, ...arm }: { system_prompt: string }) => arm);
  expect(JSON.parse(json)).toEqual({ ...data, task, arms });
});

test("doctor's text has every check with its id; findings of hidden parts only for whoever asks", async () => {
  await using server = await linked();
  const [shut = ""] = await told(server, "run_doctor", { scenario: "hidden" });
  const { data, text: open } = await server.call("run_doctor", { scenario: "hidden", include_hidden: true });
  for (const { id, status, detail } of data.checks) {
    const line = `- ${status.toUpperCase()} ${id}: `;
    expect(shut).toContain(line);
    expect(open).toContain(line);
    if (detail) expect(open).toContain(detail);
  }
  expect(open).toContain("CANARY-MATCH");
  expect(open).not.toContain("include_hidden: true shows it");
  expect(shut).not.toMatch(/CANARY-(?:FILE|RUN|MATCH|FIX)/);
  expect(shut).toContain("include_hidden: true shows it to the scenario's author.");
});

test("a run that spends nothing is not said to take 0 to 0 tokens", async () => {
  await using server = await linked();
  const [text = ""] = await told(server, "run_doctor", { scenario: "quick" });
  expect(text).toEndWith("\nEstimate: The arms replay scripts and no model judges: nothing is spent.");
});

test("the reasons of a verdict, with what is hidden when asked for, stand in the text", async () => {
  await using server = await withRun();
  const { session_id } = server;
  for (const include_hidden of [false, true]) {
    const args = { session_id, detail: "criteria", include_hidden };
    const [lines = "", json = ""] = await told(server, "get_session", args);
    const { verdict } = (await server.call("get_session", args)).data;
    const { statement, ...rest } = verdict;
    const criteria = verdict.criteria.map(({ note: _, ...criterion }: { note: string }) => criterion);
    expect(JSON.parse(json)).toEqual({ ...rest, criteria });
    for (const said of [statement, ...verdict.criteria.map(({ note }: { note: string }) => note)])
      expect(lines).toContain(said);
  }
});

test("everything of a session comes in pages of text, which joined are its JSON", async () => {
  await using server = await withRun({ store: { ...memoryStore(), persistent: true } });
  const { session_id } = server;
  const stored = await readSession(server.services.store, session_id);
  if (stored === undefined) throw new Error("not stored");
  // Too long for a page, and full of characters that take two units.
  const output = "😀é\n".repeat(20_000);
  const [first, second] = stored.arms;
  const checks = first.probe?.checks.map((check) => ({ ...check, output })) ?? [];
  const long_id = "session-sample-20260102T030405678Z";
  const probe = first.probe && { ...first.probe, checks };
  await keep(server.services.store, { ...stored, session_id: long_id, arms: [{ ...first, probe }, second] });

  let json = "";
  let pages = 0;
  for (let after_seq: number | undefined = 0; after_seq !== undefined; pages += 1) {
    const args = { session_id: long_id, detail: "full", include_hidden: true, after_seq };
    const [lead = "", page = ""] = await told(server, "get_session", args);
    expect(Buffer.byteLength(lead + page)).toBeLessThan(25_600);
    expect(page.isWellFormed()).toBe(true);
    json += page;
    const more = /; more with after_seq (\d+)\./.exec(lead)?.[1];
    after_seq = more === undefined ? undefined : Number(more);
  }
  expect(pages).toBeGreaterThan(5);
  const args = { session_id: long_id, detail: "full", include_hidden: true, after_seq: json.length };
  expect(await told(server, "get_session", args)).toEqual([
    `Nothing is left: the session is ${json.length} characters of JSON; start again with after_seq 0.`,
    "",
  ]);
  const { data } = await server.call("get_session", {
    session_id: long_id,
    detail: "full",
    include_hidden: true,
  });
  const { decisions, arms, ...session } = JSON.parse(json);
  const { decisions: logs, arms: whole, ...same } = data.session;
  expect(session).toEqual(same);
  expect(decisions).toEqual({ one: logs.one.length, two: logs.two.length });
  expect(arms[0].probe.checks[0].output).toBe(output);
  expect(arms.map(({ changes: _, ...arm }: { changes: unknown }) => arm)).toEqual(
    whole.map(({ changes: _, ...arm }: { changes: unknown }) => arm),
  );
});

test("the text of decisions says what was called and printed", async () => {
  await using server = await withRun();
  const { session_id } = server;
  const [text = ""] = await told(server, "get_session", { session_id, detail: "decisions", arm_id: "one" });
  const { data } = await server.call("get_session", { session_id, detail: "decisions", arm_id: "one" });
  const [{ decisions }] = data.decisions;
  expect(decisions.length).toBeGreaterThan(1);
  for (const { seq, detail } of decisions) {
    expect(text).toContain(`\n#${seq} `);
    if (detail) expect(text).toContain(JSON.stringify(detail));
  }
});

test("the text of a summary says what its data says", async () => {
  await using server = await withRun();
  const [text = ""] = await told(server, "get_session", { session_id: server.session_id });
  const { summary } = (await server.call("get_session", { session_id: server.session_id })).data;
  const { verdict, arms } = summary;
  const [one] = arms;
  for (const said of [verdict.statement, verdict.verdict_id, verdict.judge_model, ...verdict.flags, one.final_answer])
    expect(text).toContain(said);
  expect(text).toContain(`scores ${verdict.score_a.toFixed(2)} for one, ${verdict.score_b.toFixed(2)} for two`);
  expect(text).toContain("failed checks: canary-check; similarity to the reference fix");
});

test("a session of a table is listed with its row", async () => {
  await using server = await linked({ catalog: openCatalog(EXAMPLES) });
  await server.call("run_scenario", { scenario: "shop-answers", input: "gutschein", wait_seconds: 50 });
  expect((await told(server, "list_sessions", {}))[0]).toContain(": shop-answers[gutschein], ");
});

test("rows of lists say who, when and how it came out", async () => {
  await using server = await withRun();
  const [sessions = ""] = await told(server, "list_sessions", {});
  const [row] = (await server.call("list_sessions")).data.sessions;
  expect(sessions).toBe(
    `- ${row.session_id}: hidden, ${row.created_at}, completed, ${row.outcome}, judge builtin/evidence; one (scripted/one) finished vs two (scripted/two) finished`,
  );
});

test.each(["", "x"])(
  "pages of a whole session joined are its JSON, and cut no character (%p before it)",
  async (before) => {
    await using server = await linked({ store: { ...memoryStore(), persistent: true } });
    const session_id = "session-sample-20260102T030405678Z";
    const base = anOutcome(session_id, { state: "completed" });
    const final_answer = before + "😀".repeat(20_000);
    await keep(server.services.store, { ...base, arms: [{ ...base.arms[0], final_answer }, base.arms[1]] });
    let json = "";
    for (let more: string | undefined = "0"; more !== undefined; ) {
      const asked = { session_id, detail: "full", after_seq: Number(more) };
      const [said = "", page = ""] = await told(server, "get_session", asked);
      expect(page.isWellFormed()).toBe(true);
      json += page;
      more = /; more with after_seq (\d+)/.exec(said)?.[1];
    }
    expect(JSON.parse(json).arms[0].final_answer).toBe(final_answer);
  },
);
