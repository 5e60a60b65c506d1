import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { watch } from "node:fs/promises";
import { Failure } from "../../../src/domain/failure.ts";
import { examine } from "../../../src/session/doctor/doctor.ts";
import { type Examination, Examinations } from "../../../src/session/doctor/examinations.ts";
import { failureOf, scenarioFolder } from "../../scenario/scenario-folder.ts";
import { temporaryDirectory } from "../../temporary.ts";
import { goodScenario, never, ofScenario, surroundings, troubles } from "./small-scenario.ts";

const GOOD: Examination = { checks: [], complete: true };

/** The small scenario with a setup step that leaves a line for each time it ran, and then does `more`. */
async function counted(more = "true") {
  const outside = temporaryDirectory();
  const scenario = goodScenario();
  const setup = [`echo ran >> ${outside.path}/count; ${more}`];
  const changes = watch(outside.path)[Symbol.asyncIterator]();
  const folder = await scenarioFolder({
    "small.yaml": JSON.stringify({ ...scenario, task: { ...scenario.task, setup } }),
  });
  return {
    folder,
    /** The setup step has begun to run. */
    begun: async () => {
      if (!existsSync(`${outside.path}/count`)) await changes.next();
    },
    runs: () => readFileSync(`${outside.path}/count`, "utf8").split("\n").length - 1,
    [Symbol.asyncDispose]: async () => {
      await changes.return?.();
      outside[Symbol.dispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

test("an examination without a fail is not done again while the scenario stays the same", async () => {
  await using subject = await counted();
  const services = surroundings(subject.folder.directory);
  const first = await examine(services, "small", never);
  const second = await examine(services, "small", never);
  expect(ofScenario(second).map(({ id, status }) => [id, status])).toEqual(
    ofScenario(first).map(({ id, status }) => [id, status]),
  );
  expect(subject.runs()).toBe(1);
  await subject.folder.write(
    "small.yaml",
    (await Bun.file(subject.folder.path("small.yaml")).text()).replace("ran", "again"),
  );
  await examine(services, "small", never);
  expect(subject.runs()).toBe(2);
});

test("two who ask at the same time share one examination", async () => {
  await using subject = await counted();
  const services = surroundings(subject.folder.directory);
  const [first, second] = await Promise.all([examine(services, "small", never), examine(services, "small", never)]);
  expect(troubles(first)).toEqual(troubles(second));
  expect(subject.runs()).toBe(1);
});

test("a fail is looked at again, since its cause may lie outside", async () => {
  await using subject = await counted("exit 1");
  const services = surroundings(subject.folder.directory);
  expect((await examine(services, "small", never)).ok).toBe(false);
  expect((await examine(services, "small", never)).ok).toBe(false);
  expect(subject.runs()).toBe(2);
});

test("what does not end in time is cut short, and the answer says what was left out", async () => {
  await using subject = await counted("exec sleep 60");
  // Long enough for the step to begin on a busy machine.
  const services = surroundings(subject.folder.directory, { examinations: new Examinations(1_000) });
  const report = await examine(services, "small", never);
  expect(ofScenario(report).find(({ id }) => id === "fixture.setup")).toMatchObject({
    status: "warn",
    detail: "not finished: the time for the checks of a scenario was over",
  });
  expect(ofScenario(report).slice(-7)).toEqual(
    Array.from({ length: 7 }, () =>
      expect.objectContaining({
        status: "skip",
        detail: "not tried: the time for the checks of a scenario was over",
      }),
    ),
  );
  expect(subject.runs()).toBe(1);
  await examine(services, "small", never);
  expect(subject.runs()).toBe(2);
});

test("who no longer wants the answer stops the commands, and the next in line is served", async () => {
  await using subject = await counted("exec sleep 60");
  const caller = new AbortController();
  const services = surroundings(subject.folder.directory);
  const asked = examine(services, "small", caller.signal);
  await subject.begun();
  caller.abort(new Failure("cancelled", "enough"));
  expect((await failureOf(asked)).message).toBe("enough");
  expect(await services.examinations.run("next", async () => GOOD, never)).toEqual(GOOD);
});

test("different scenarios wait for each other", async () => {
  const examinations = new Examinations();
  const order: string[] = [];
  const examination = (name: string) => async () => {
    order.push(`${name} begins`);
    await Promise.resolve();
    order.push(`${name} ends`);
    return GOOD;
  };
  await Promise.all(["a", "b", "c"].map((name) => examinations.run(name, examination(name), never)));
  expect(order).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
});

test("one who leaves does not take the answer from another, and the last one who leaves ends it", async () => {
  const examinations = new Examinations();
  const { promise, resolve } = Promise.withResolvers<Examination>();
  const signals: AbortSignal[] = [];
  const slow = (signal: AbortSignal) => {
    signals.push(signal);
    return promise;
  };
  const [impatient, patient] = [new AbortController(), new AbortController()];
  const left = examinations.run("a", slow, impatient.signal);
  const stayed = examinations.run("a", slow, patient.signal);
  await Promise.resolve();
  impatient.abort(new Failure("cancelled", "one left"));
  expect((await failureOf(left)).message).toBe("one left");
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  resolve(GOOD);
  expect(await stayed).toEqual(GOOD);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
});

test("one that was given up is not joined but begun anew", async () => {
  const examinations = new Examinations();
  const endless = (signal: AbortSignal) =>
    new Promise<Examination>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  const caller = new AbortController();
  const left = failureOf(examinations.run("a", endless, caller.signal));
  caller.abort(new Failure("cancelled", "left"));
  expect((await left).message).toBe("left");
  expect(await examinations.run("a", async () => GOOD, never)).toEqual(GOOD);
});
