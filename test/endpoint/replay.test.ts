import { expect, test } from "bun:test";
import { abeval } from "../abeval.ts";
import { replayingServices } from "../recording/recorded.ts";
import { scenarioFolder } from "../scenario/scenario-folder.ts";
import { againstScript, runText, serveAnswers } from "./served-answer.ts";

const POSTED = `name: served
task:
  prompt: Say something good.
  probe: {checks: [{id: polite, posted: {url: "URL"}}]}
arms:
  - {id: good, model: scripted/x, script: [{say: good}]}
  - {id: bad, model: scripted/x, script: [{say: bad}]}
rubric: {criteria: [{measure: probe_score}], judge: {model: builtin/evidence}}
`;

const ASKING = [
  [
    POSTED,
    'check "polite": it is posted to a program, which no recording has, and a replay asks nobody; take it out, ',
  ],
  [
    againstScript('{id: app, endpoint: {url: "URL"}}'),
    'arm "app": it is asked at its endpoint, which no recording has, and a replay asks nobody; ',
  ],
] as const;

test.each(ASKING)("a replay that would ask somebody is refused before it does: %#", async (text, words) => {
  await using server = serveAnswers(() => Response.json({ answer: "good", pass: true }));
  await using folder = await scenarioFolder({ "served.yaml": text.replace("URL", server.url) });
  const run = runText(text.replace("URL", server.url), replayingServices(folder.directory));
  await expect(run).rejects.toThrow(words);
  const replay = ["run", folder.path("served.yaml"), "--sandbox", "none", "--replay", folder.directory];
  const refused = { status: 2, stdout: "", stderr: expect.stringContaining(words) };
  expect(await abeval(replay)).toMatchObject(refused);
  expect(await abeval([...replay, "--trials", "2"])).toMatchObject(refused);
  const checked = await abeval([...replay, "--check", "--rehearse"]);
  expect({ status: checked.status, said: checked.stdout }).toEqual({ status: 2, said: expect.stringContaining(words) });
  expect(server.asked).toEqual([]);
});
