import { expect, test } from "bun:test";
import { join } from "node:path";
import type { LoadedScenario } from "../../src/comparison/scenario/loaded-scenario.ts";
import { rejudge } from "../../src/comparison/session/rejudge.ts";
import type { ScriptTurn } from "../../src/domain/arm.ts";
import type { SessionOutcome } from "../../src/domain/session.ts";
import type { ProbeCheck } from "../../src/domain/task.ts";
import { light, runOnce, testServices } from "../harness.ts";
import { Directory } from "../workspace/harness.ts";

const never = new AbortController().signal;

/** A check that gives these results in turn, whatever lies in its workspace: for arm a, for arm b, and then again. */
const inTurn = (place: Directory, results: string) =>
  `n=$(cat ${join(place.path, "n")} 2>/dev/null || echo 1); echo $((n + 1)) > ${join(place.path, "n")}; test "$(echo ${results} | cut -c $n)" = p`;

const check = (id: string, run: string): ProbeCheck => ({
  ...{ id, run, before: "fail", required: true, weight: 1, timeout_s: 10, expect_exit: 0, output_matches: null },
});

interface Parts {
  readonly deliverable?: string[];
  /** A file that arm b alone writes. */
  readonly extra?: string;
}

/** Both arms do what the better one does. */
async function equalArms(checks: ProbeCheck[], { deliverable = ["**"], extra }: Parts = {}): Promise<LoadedScenario> {
  const { definition, ...loaded } = await light("pager-last-page");
  const { task, arms } = definition;
  const script = arms[1].script ?? [];
  const writing: ScriptTurn = { calls: [{ write_file: { path: extra ?? "", content: "x\n" } }] };
  const both: typeof arms = [
    { ...arms[0], script },
    { ...arms[1], script: extra === undefined ? script : [writing, ...script] },
  ];
  const probe = { files: { dir: null, files: {}, digest: "0".repeat(64) }, checks };
  return { ...loaded, definition: { ...definition, arms: both, task: { ...task, deliverable, probe } } };
}

const services = () => testServices({}, { sandbox: "none" });

const brief = ({ verdict, arms }: SessionOutcome) => ({
  ...{ outcome: verdict?.outcome, confidence: verdict?.confidence },
  flags: verdict?.flags.filter((flag) => flag === "equal_work" || flag === "check_not_repeatable"),
  left_out: arms.map(({ probe }) => probe?.not_repeatable?.map(({ id, status, again }) => [id, status, again])),
  counted: arms.map(({ probe }) => probe?.checks.map(({ id, again }) => [id, again])),
});

test("a coin that is flipped for equal work is flipped once more, told, and decides nothing", async () => {
  using place = new Directory();
  const own = services();
  const scenario = await equalArms([check("coin", inTurn(place, "pfpf")), check("real", "true")]);
  const { outcome } = await runOnce(own, scenario);
  expect(brief(outcome)).toMatchObject({
    ...{ confidence: "none", flags: ["equal_work", "check_not_repeatable"] },
    left_out: [[["coin", "pass", "pass"]], [["coin", "fail", "fail"]]],
    counted: [[["real", undefined]], [["real", undefined]]],
  });
  const { arm_a, arm_b, statement } = outcome.verdict ?? {};
  expect(statement).toContain(
    "check coin is not repeatable and counts for neither arm: on equal work it gave pass, then pass for ticket-only, and fail, then fail for root-cause;",
  );
  if (!arm_a || !arm_b) throw new Error("no verdict");
  const again = await rejudge(own, { arm_a, arm_b }, never);
  expect([again.statement, again.flags.includes("check_not_repeatable")]).toEqual([statement ?? "", true]);
});

test("where nothing tells equal work apart nothing is run again", async () => {
  using place = new Directory();
  const { outcome } = await runOnce(services(), await equalArms([check("coin", inTurn(place, "ppff"))]));
  expect(brief(outcome)).toMatchObject({
    ...{
      flags: ["equal_work"],
      left_out: [undefined, undefined],
      counted: [[["coin", undefined]], [["coin", undefined]]],
    },
  });
});

test.each([
  ["gives the same again decides, with low confidence", "pfpf", [], "low"],
  ["turns decides nothing", "pfpp", ["check_not_repeatable"], "none"],
])("where only files beside the answer differ, a check that %s", async (_what, results, flags, confidence) => {
  using place = new Directory();
  const parts = { deliverable: ["src/**", "*.ts"], extra: "notes.md" };
  const { outcome } = await runOnce(services(), await equalArms([check("coin", inTurn(place, results))], parts));
  expect(brief(outcome)).toMatchObject({ confidence, flags: ["equal_work", ...flags] });
});
