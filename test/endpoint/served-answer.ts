import type { SessionServices } from "../../src/comparison/planning/services.ts";
import { loadScenarioFile } from "../../src/comparison/scenario/load-scenario.ts";
import { membersOf } from "../../src/comparison/scenario/loaded-scenario.ts";
import { runOnce, testServices } from "../harness.ts";
import { scenarioFolder } from "../scenario/scenario-folder.ts";

interface Asked {
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
}

/** A server that answers as `answer` says, and remembers what it was asked. */
export function serveAnswers(answer: (asked: Asked, nth: number) => Response | Promise<Response>) {
  const asked: Asked[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch: async (request) => {
      const body = (await request.json()) as Asked["body"];
      const one = { body, headers: Object.fromEntries(request.headers) };
      asked.push(one);
      return await answer(one, asked.length);
    },
  });
  return {
    asked,
    url: `http://127.0.0.1:${server.port}/answer`,
    [Symbol.asyncDispose]: async () => await server.stop(true),
  };
}

/** An arm whose endpoint is at `url` against a script that says "fine", checked for the word "good". */
export const againstScript = (arm: string, rest = "", task = "") => `name: served
task:
  prompt: Say something good.
${task}  probe:
    checks:
      - {id: good, answer_contains: good, required: true}
arms:
  - ${arm}
  - {id: script, model: scripted/x, script: [{say: fine}]}
rubric:
  criteria: [{measure: probe_score}]
  judge: {model: builtin/evidence}
${rest}`;

/** Runs the scenario, or the first row of its inputs, once. */
export async function runText(text: string, services: SessionServices = testServices()) {
  await using folder = await scenarioFolder({ "served.yaml": text });
  const [loaded] = await membersOf(await loadScenarioFile(folder.path("served.yaml")));
  if (!loaded) throw new Error("it has a member");
  return (await runOnce(services, loaded)).outcome;
}
