import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Contest } from "../../src/domain/contest.ts";
import { abeval } from "../abeval.ts";
import { FAKE_KEY } from "../fake-provider/fake-provider.ts";
import { startTalkProvider } from "../fake-provider/talk.ts";
import { talkText } from "../session/series.ts";
import { temporaryDirectory } from "../temporary.ts";

const BEST = ["--trials", "2", "--best", "--keep-running"];

/** What a contest found, apart from its moments and ids. */
const finding = ({ contest, gate, rounds, trials }: Contest) => ({
  ...{ gate, rounds, pairs: contest.pairs.map(({ arms, result }) => [arms, result?.difference]) },
  arms: contest.arms.map(({ arm_id, lead, trials: ran }) => [arm_id, lead, ran]),
  trials: trials.map(({ trial, round, pair, winner, counted }) => [trial, round, pair, winner, counted]),
});

test("a contest is recorded, each run once, and replays with neither key nor provider", async () => {
  using directory = temporaryDirectory();
  const text = talkText("talk", "gateway").replace("rubric:", "  - {id: c, model: gateway/c, tools: []}\nrubric:");
  writeFileSync(join(directory.path, "talk.yaml"), text);
  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    abeval(["run", "talk.yaml", "--quiet", ...BEST, ...args], { cwd: directory.path, env });
  let asked = 0;
  const recorded = await (async () => {
    await using provider = await startTalkProvider({ judge: () => "b" });
    const ran = await run(["--record", "recordings"], { ...provider.environment, GATEWAY_API_KEY: FAKE_KEY });
    asked = provider.requests.length;
    return ran;
  })();
  expect(recorded).toMatchObject({ status: 0, stderr: "" });
  // Three arms, and three pairs in both orders, twice.
  expect(asked).toBe(2 * (3 + 3 * 2));
  const replayed = await run(["--replay", "recordings", "--replay-strict"]);
  expect(replayed.status, replayed.stderr).toBe(0);
  expect(finding(JSON.parse(replayed.stdout))).toEqual(finding(JSON.parse(recorded.stdout)));
});
