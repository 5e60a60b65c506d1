import { expect, test } from "bun:test";
import type { ModelClient, ModelReply } from "../../src/arms/model/client.ts";
import type { SessionServices } from "../../src/comparison/planning/services.ts";
import type { LoadedScenario } from "../../src/comparison/scenario/loaded-scenario.ts";
import { rejudge } from "../../src/comparison/session/rejudge.ts";
import { Failure } from "../../src/domain/failure.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { bundled, runOnce, testServices } from "../harness.ts";
import { called, SILENT, wellFormed } from "../judge/mock-judge.ts";
import { anArm, aScenario } from "../outcomes.ts";

/** USD per million tokens: 100 tokens out cost 0.1 USD. */
const PRICE = { in: 0, out: 1000, cached_in: null };
const TURN_USD = 0.1;
/** 40 turns of 8,192 tokens. */
const WORST_ARM_USD = 327.68;
/** Both orders, each asked three times, in two hearings, 8,192 tokens each. */
const WORST_JUDGING_USD = 98.304;

const DAY = "2026-01-02";
const clock = { now: () => new Date(`${DAY}T12:00:00.000Z`), ticks: () => 0 };
const signal = new AbortController().signal;
const DOWN = new Failure("provider_failed", "the provider is down");

const UNCOUNTED = { tokens_in: null, tokens_out: null, cached_tokens: null };

async function judgedScenario(): Promise<LoadedScenario> {
  const loaded = await bundled("pager-last-page");
  const arm = (id: string) => anArm(id, { model: `openai/${id}`, script: null, tools: ["list_files"] });
  const rubric = {
    ...loaded.definition.rubric,
    criteria: [{ id: "tidy", kind: "judged" as const, question: "Is it tidy?", weight: 1, anchors: {} }],
    judge: { model: "openai/judge", probe_visibility: "shown" as const, max_evidence_tokens: 1_000 },
  };
  return { ...loaded, definition: aScenario({ arms: [arm("left"), arm("right")], rubric }) };
}

type Reply = (model: string, ...of: Parameters<ModelClient["complete"]>) => ModelReply | Promise<ModelReply>;

/** Arms that answer at once, and a judge that finds both equal. A call costs 0.1 USD. */
const answer: Reply = (model, request) =>
  model === "openai/judge" ? called(wellFormed(request, () => ({}))) : { ...SILENT, text: "Done." };

function services(reply: Reply = answer, changes: Partial<SessionServices> = {}): SessionServices {
  return testServices(
    {},
    {
      clock,
      prices: new Map(["left", "right", "judge"].map((name) => [`openai/${name}`, PRICE])),
      max_cost_per_day_usd: 1_000,
      resolveModel: (ref) => ({ ref, complete: async (...call) => await reply(ref, ...call) }),
      ...changes,
    },
  );
}

const dayOf = ({ store }: SessionServices) => store.ledger.on(DAY);

/** Only the first call of the judge is answered, with `usage`; from then on the provider is down. */
function judgeThatFails(usage: Partial<ModelReply> = {}): Reply {
  let judged = 0;
  return async (model, ...call) => {
    if (model !== "openai/judge") return await answer(model, ...call);
    judged += 1;
    if (judged > 1) throw DOWN;
    return { ...(await answer(model, ...call)), ...usage };
  };
}

test("while a run goes on its worst case is reserved, and afterwards what it cost is spent", async () => {
  const during: unknown[] = [];
  const spying: SessionServices = services(async (...call) => {
    during.push(await dayOf(spying));
    return await answer(...call);
  });
  await runOnce(spying, await judgedScenario());
  expect(during[0]).toEqual({ spent: 0, reserved: expect.closeTo(2 * WORST_ARM_USD + WORST_JUDGING_USD, 6) });
  // Two arms, and the judge in both orders.
  expect(await dayOf(spying)).toEqual({ spent: expect.closeTo(4 * TURN_USD, 9), reserved: 0 });
});

test("a run with a limit of its own takes no more than that from the day's limit, even where nobody knows what it cost", async () => {
  const during: unknown[] = [];
  const uncounted: SessionServices = services(
    async (...call) => {
      during.push(await dayOf(uncounted));
      return { ...(await answer(...call)), ...UNCOUNTED };
    },
    { max_cost_per_day_usd: 40 },
  );
  await runOnce(uncounted, await judgedScenario(), { max_cost_usd: 35 });
  expect(during[0]).toEqual({ spent: 0, reserved: 35 });
  expect(await dayOf(uncounted)).toEqual({ spent: 35, reserved: 0 });
});

test("what a run costs is noted without a limit too", async () => {
  const unlimited = services(answer, { max_cost_per_day_usd: undefined });
  await runOnce(unlimited, await judgedScenario());
  expect(await dayOf(unlimited)).toEqual({ spent: expect.closeTo(4 * TURN_USD, 9), reserved: 0 });
});

test("a judging that fails costs what its answers cost", async () => {
  const failing = services(judgeThatFails());
  const { outcome } = await runOnce(failing, await judgedScenario());
  expect(outcome.failure?.code).toBe("provider_failed");
  expect(await dayOf(failing)).toEqual({ spent: expect.closeTo(3 * TURN_USD, 9), reserved: 0 });
});

test("a judging that fails after an answer without usage costs its worst case", async () => {
  const failing = services(judgeThatFails(UNCOUNTED));
  await runOnce(failing, await judgedScenario());
  expect(await dayOf(failing)).toEqual({ spent: expect.closeTo(2 * TURN_USD + WORST_JUDGING_USD, 6), reserved: 0 });
});

test.each(["left", "right"])(
  "arm %s without usage costs its worst case, and the others what they cost",
  async (arm) => {
    const uncounted = services(async (model, ...call) => ({
      ...(await answer(model, ...call)),
      ...(model === `openai/${arm}` ? UNCOUNTED : {}),
    }));
    await runOnce(uncounted, await judgedScenario());
    expect(await dayOf(uncounted)).toEqual({ spent: expect.closeTo(WORST_ARM_USD + 3 * TURN_USD, 6), reserved: 0 });
  },
);

test("a run that gets no id gives its reservation back", async () => {
  const full = new Failure("storage_full", "no space left");
  const refusing = services(answer, {
    store: {
      ...memoryStore(),
      create: () => {
        throw full;
      },
    },
  });
  await expect(runOnce(refusing, await judgedScenario())).rejects.toBe(full);
  expect(await dayOf(refusing)).toEqual({ spent: 0, reserved: 0 });
});

/** A run whose judge asked no model, so that its arms are judged again for the first time. */
async function rejudged(judging: Reply) {
  const used = services(judging);
  const { outcome } = await runOnce(used, await judgedScenario(), { judge_model: "builtin/evidence" });
  const [arm_a, arm_b] = outcome.arms.map(({ arm_id }) => ({ session_id: outcome.session_id, arm_id }));
  if (arm_a === undefined || arm_b === undefined) throw new Error("no arms");
  const result = await rejudge(used, { arm_a, arm_b, judge_model: "openai/judge" }, signal).catch((error) => error);
  const { spent, reserved } = await dayOf(used);
  return { result, spent: spent - 2 * TURN_USD, reserved };
}

test("a rejudge costs what its answers cost", async () => {
  const { spent, reserved } = await rejudged(answer);
  expect({ spent, reserved }).toEqual({ spent: expect.closeTo(2 * TURN_USD, 9), reserved: 0 });
});

test("a rejudge that fails costs what its answers cost, or its worst case when one has no usage", async () => {
  const counted = await rejudged(judgeThatFails());
  expect(counted).toEqual({ result: DOWN, spent: expect.closeTo(TURN_USD, 9), reserved: 0 });
  const uncounted = await rejudged(judgeThatFails(UNCOUNTED));
  expect(uncounted).toEqual({ result: DOWN, spent: expect.closeTo(WORST_JUDGING_USD, 6), reserved: 0 });
});

test("a cost that cannot be noted is told, and the run keeps its verdict", async () => {
  const store = memoryStore();
  const notices: string[] = [];
  const { outcome } = await runOnce(
    services(answer, {
      notice: (line) => notices.push(line),
      store: {
        ...store,
        ledger: {
          reserve: async () => undefined,
          on: (day) => store.ledger.on(day),
          settle: () => {
            throw new Failure("storage_full", "no space left");
          },
        },
      },
    }),
    await judgedScenario(),
  );
  expect(outcome.state).toBe("completed");
  expect(notices).toContain("the cost of a run was not noted: no space left");
});
