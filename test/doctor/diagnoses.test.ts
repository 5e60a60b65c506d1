import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { watch } from "node:fs/promises";
import { Failure } from "../../src/domain/failure.ts";
import { Diagnoses, type Diagnosis } from "../../src/doors/doctor/diagnoses.ts";
import { diagnose } from "../../src/doors/doctor/doctor.ts";
import { failureOf, scenarioFolder } from "../scenario/scenario-folder.ts";
import { temporaryDirectory } from "../temporary.ts";
import { goodScenario, never, ofScenario, servicesOver, troubles } from "./small-scenario.ts";

const GOOD: Diagnosis = { checks: [], complete: true };

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

test("a diagnosis without a fail is not done again while the scenario stays the same", async () => {
  await using subject = await counted();
  const services = servicesOver(subject.folder.directory);
  const first = await diagnose(services, "small", never);
  const second = await diagnose(services, "small", never);
  expect(ofScenario(second).map(({ id, status }) => [id, status])).toEqual(
    ofScenario(first).map(({ id, status }) => [id, status]),
  );
  expect(subject.runs()).toBe(1);
  await subject.folder.write(
    "small.yaml",
    (await Bun.file(subject.folder.path("small.yaml")).text()).replace("ran", "again"),
  );
  await diagnose(services, "small", never);
  expect(subject.runs()).toBe(2);
});

test("two who ask at the same time share one diagnosis", async () => {
  await using subject = await counted();
  const services = servicesOver(subject.folder.directory);
  const [first, second] = await Promise.all([diagnose(services, "small", never), diagnose(services, "small", never)]);
  expect(troubles(first)).toEqual(troubles(second));
  expect(subject.runs()).toBe(1);
});

test("a diagnosis with a fail is made again, since the cause may lie outside the scenario", async () => {
  await using subject = await counted("exit 1");
  const services = servicesOver(subject.folder.directory);
  expect((await diagnose(services, "small", never)).ok).toBe(false);
  expect((await diagnose(services, "small", never)).ok).toBe(false);
  expect(subject.runs()).toBe(2);
});

test("checks that do not end in time are stopped, and the report says which were skipped", async () => {
  await using subject = await counted("exec sleep 60");
  // Long enough for the step to begin on a busy machine.
  const services = servicesOver(subject.folder.directory, { diagnoses: new Diagnoses(1_000) });
  const report = await diagnose(services, "small", never);
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
  await diagnose(services, "small", never);
  expect(subject.runs()).toBe(2);
});

test("a caller that leaves stops the commands, and the next caller is served", async () => {
  await using subject = await counted("exec sleep 60");
  const caller = new AbortController();
  const services = servicesOver(subject.folder.directory);
  const asked = diagnose(services, "small", caller.signal);
  await subject.begun();
  caller.abort(new Failure("cancelled", "enough"));
  expect((await failureOf(asked)).message).toBe("enough");
  expect(await services.diagnoses.run("next", async () => GOOD, never)).toEqual(GOOD);
});

test("different scenarios are diagnosed one after the other", async () => {
  const diagnoses = new Diagnoses();
  const order: string[] = [];
  const diagnosis = (name: string) => async () => {
    order.push(`${name} begins`);
    await Promise.resolve();
    order.push(`${name} ends`);
    return GOOD;
  };
  await Promise.all(["a", "b", "c"].map((name) => diagnoses.run(name, diagnosis(name), never)));
  expect(order).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
});

test("a diagnosis goes on until its last caller leaves", async () => {
  const diagnoses = new Diagnoses();
  const { promise, resolve } = Promise.withResolvers<Diagnosis>();
  const signals: AbortSignal[] = [];
  const slow = (signal: AbortSignal) => {
    signals.push(signal);
    return promise;
  };
  const [impatient, patient] = [new AbortController(), new AbortController()];
  const left = diagnoses.run("a", slow, impatient.signal);
  const stayed = diagnoses.run("a", slow, patient.signal);
  await Promise.resolve();
  impatient.abort(new Failure("cancelled", "one left"));
  expect((await failureOf(left)).message).toBe("one left");
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  resolve(GOOD);
  expect(await stayed).toEqual(GOOD);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
});

test("a diagnosis that was given up is begun anew", async () => {
  const diagnoses = new Diagnoses();
  const endless = (signal: AbortSignal) =>
    new Promise<Diagnosis>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  const caller = new AbortController();
  const left = failureOf(diagnoses.run("a", endless, caller.signal));
  caller.abort(new Failure("cancelled", "left"));
  expect((await left).message).toBe("left");
  expect(await diagnoses.run("a", async () => GOOD, never)).toEqual(GOOD);
});
