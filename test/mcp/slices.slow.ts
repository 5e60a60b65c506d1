import { expect, test } from "bun:test";
import type { Decision } from "../../src/domain/decision.ts";
import type { ArmSummary, SessionOutcome } from "../../src/domain/session.ts";
import type { CriterionScore, Verdict } from "../../src/domain/verdict.ts";
import { EXAMPLES } from "../../src/doors/endpoint/examples.ts";
import { RESULT_BYTES } from "../../src/doors/mcp/fit.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { anOutcome } from "../outcomes.ts";
import { begin, keep } from "../stored.ts";
import { type Linked, linked } from "./linked.ts";

const ID = "session-sample-20260102T030405678Z";
const LONG = 'long "quoted" text\n'.repeat(220);

const decision = (seq: number): Decision => ({
  seq,
  kind: "tool_call",
  summary: `step ${seq} ${"x".repeat(150)}`,
  tokens_in: 0,
  tokens_out: 0,
  latency_ms: 1,
  detail: { tool: "run_command", input: LONG, ok: true, exit_code: 0, output: LONG, bytes: LONG.length },
});

const PATCH = Array.from({ length: 30_000 }, (_, line) => `+line ${line}`).join("\n");

function hugeArm(arm: ArmSummary): ArmSummary {
  const file = { status: "modified", added: 1, removed: 1, binary: false, before: LONG, after: LONG } as const;
  const files = Array.from({ length: 300 }, (_, index) => ({ ...file, path: `src/some/deep/folder/file-${index}.ts` }));
  const violation = {
    rule: "deny: git push*",
    severity: "warn",
    subject: "git push origin main",
    blocked: true,
  } as const;
  return {
    ...arm,
    final_answer: LONG,
    changes: { files, patch: PATCH, digest: "0".repeat(64), truncated: false },
    violations: Array(300).fill(violation),
  };
}

const facts: Verdict["facts"]["a"] = {
  ...EXAMPLES.verdict.facts.a,
  violations: Array(100).fill({ rule: "deny", severity: "warn", subject: "git push", blocked: true }),
};

function criterion(index: number): CriterionScore {
  const quote = { side: "a", kind: "diff", ref: "src/file.ts:1", quote: "q".repeat(160) } as const;
  const scores = { score_a: 1, score_b: 0, gap: 1, position_gap: 0 };
  const evidence = Array(10).fill(quote);
  return { id: `criterion-${index}`, kind: "judged", weight: 1, ...scores, supported: true, note: LONG, evidence };
}

const hugeVerdict = (verdict_id: string): Verdict => ({
  ...EXAMPLES.verdict,
  verdict_id,
  kind: verdict_id === "run" ? "run" : "rejudge",
  arm_a: { session_id: ID, arm_id: "left" },
  arm_b: { session_id: ID, arm_id: "right" },
  criteria: Array.from({ length: 20 }, (_, index) => criterion(index)),
  facts: { a: facts, b: facts },
  rationale: LONG,
});

const STEPS = 200;

async function withHugeSession(): Promise<Linked> {
  const server = await linked({ store: { ...memoryStore(), persistent: true } });
  await server.client.listTools();
  const { arms, ...base } = anOutcome(ID);
  const log = Array.from({ length: STEPS }, (_, n) => decision(n + 1));
  const outcome: SessionOutcome = {
    ...base,
    state: "completed",
    decisions: { left: log, right: log },
    verdicts: Array.from({ length: 30 }, (_, index) => hugeVerdict(`rejudge-${index}`)),
    arms: [hugeArm(arms[0]), hugeArm(arms[1])],
    verdict: hugeVerdict("run"),
  };
  await keep(server.services.store, outcome);
  return server;
}

test("every detail of a huge session fits a result, and full has everything but the texts of files", async () => {
  await using server = await withHugeSession();
  const bytes = async (args: object) => (await server.call("get_session", { session_id: ID, ...args })).bytes;
  for (const detail of ["summary", "criteria", "decisions", "diff"])
    for (const page of [{}, { arm_id: "left" }, { limit: 1_000 }, { limit: 1_000, after_seq: 60 }, { limit: 1 }])
      expect(await bytes({ detail, ...page })).toBeLessThanOrEqual(RESULT_BYTES);
  const { data } = await server.call("get_session", { session_id: ID, detail: "full" });
  expect(data.session.decisions.left).toHaveLength(STEPS);
  expect(data.session.arms[0].changes.patch).toBe(PATCH);
  expect(data.session.arms[0].changes.files[0]).toEqual({
    path: "src/some/deep/folder/file-0.ts",
    status: "modified",
    added: 1,
    removed: 1,
    binary: false,
  });
});

test("a judge's quotes of hidden checks are shown only when asked for, but their citations always", async () => {
  await using server = await linked({ store: { ...memoryStore(), persistent: true } });
  const cited = { side: "a", kind: "probe", ref: "check", quote: "CANARY-QUOTE" } as const;
  const other = { ...cited, kind: "diff", quote: "let x" } as const;
  const verdict = { ...hugeVerdict("run"), criteria: [{ ...criterion(0), note: "", evidence: [cited, other] }] };
  await keep(server.services.store, anOutcome(ID, { state: "completed", verdict, verdicts: [verdict] }));
  const textOf = async (args: object) => JSON.stringify(await server.call("get_session", { session_id: ID, ...args }));
  for (const detail of ["summary", "criteria", "full"]) expect(await textOf({ detail })).not.toContain("CANARY");
  for (const detail of ["criteria", "full"])
    expect(await textOf({ detail, include_hidden: true })).toContain("CANARY-QUOTE");
  const { data } = await server.call("get_session", { session_id: ID, detail: "criteria" });
  expect(data.verdict.criteria[0].evidence).toEqual([{ ...cited, quote: "" }, other]);
});

/** Every page of a slice of one arm, by its own next_after_seq. */
async function pages(server: Linked, args: { detail: "decisions" | "diff"; limit?: number }) {
  const all = [];
  for (let after_seq: number | null = 0; after_seq !== null; ) {
    const { data } = await server.call("get_session", { session_id: ID, arm_id: "right", after_seq, ...args });
    const [page] = data[args.detail];
    all.push(page);
    after_seq = page.next_after_seq;
  }
  return all;
}

test("pages of decisions hold every decision once, in order", async () => {
  await using server = await withHugeSession();
  for (const limit of [7, 1_000]) {
    const all = await pages(server, { detail: "decisions", limit });
    const seqs = all.flatMap((page) => page.decisions.map(({ seq }: Decision) => seq));
    expect(seqs).toEqual(Array.from({ length: STEPS }, (_, index) => index + 1));
    expect(all[0].total).toBe(STEPS);
  }
});

test("a page of one decision has its whole texts", async () => {
  await using server = await withHugeSession();
  const args = { session_id: ID, detail: "decisions", arm_id: "left", after_seq: 41, limit: 1 };
  const { data, text } = await server.call("get_session", args);
  expect(data.decisions).toEqual([{ arm_id: "left", total: STEPS, decisions: [decision(42)], next_after_seq: 42 }]);
  expect(text).toStartWith(
    `left: 1 of ${STEPS} decisions; more with arm_id "left", after_seq 42\n#42 tool_call: step 42`,
  );
  expect(text).toEndWith(JSON.stringify(decision(42).detail));
});

test("pages of a diff joined are the patch", async () => {
  await using server = await withHugeSession();
  const all = await pages(server, { detail: "diff", limit: 1_000 });
  expect(all.map((page) => page.patch).join("\n")).toBe(PATCH);
  expect({ ...all[0], patch: "", files: [] }).toEqual({
    arm_id: "right",
    files: [],
    files_left_out: all[0].files_left_out,
    lines: 30_000,
    patch: "",
    next_after_seq: all[0].next_after_seq,
  });
});

test("the criteria of a rejudge are found by its id, and an unknown id is answered with the known ones", async () => {
  await using server = await withHugeSession();
  const ask = (verdict_id: string) => server.call("get_session", { session_id: ID, detail: "criteria", verdict_id });
  expect((await ask("rejudge-3")).data.verdict.verdict_id).toBe("rejudge-3");
  expect((await ask("none")).text).toStartWith(
    `invalid_request: verdict_id: ${ID} has no verdict "none"; its verdicts: run, rejudge-0, `,
  );
});

test("an unknown arm is answered with the known ones", async () => {
  await using server = await withHugeSession();
  const { text, isError } = await server.call("get_session", { session_id: ID, detail: "diff", arm_id: "middle" });
  expect({ text, isError }).toEqual({
    text: `unknown_arm: arm_id: ${ID} has no arm "middle"; its arms: left, right`,
    isError: true,
  });
});

test("pages of sessions hold each session once, newest first", async () => {
  await using server = await linked();
  await server.client.listTools();
  const ids = Array.from({ length: 130 }, (_, n) => `session-sample-20260102T030405${String(n).padStart(3, "0")}Z`);
  for (const id of ids) await begin(server.services.store, anOutcome(id));
  const seen: string[] = [];
  for (let before: string | null | undefined; before !== null; ) {
    const { data, bytes } = await server.call(
      "list_sessions",
      before === undefined ? { limit: 100 } : { limit: 100, before },
    );
    expect(bytes).toBeLessThanOrEqual(RESULT_BYTES);
    seen.push(...data.sessions.map((row: { session_id: string }) => row.session_id));
    before = data.next_before;
  }
  expect(seen).toEqual(ids.toReversed());
});
