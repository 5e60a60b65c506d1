import type { ModelRequest } from "../../src/arms/model/client.ts";
import { Credentials } from "../../src/arms/model/credentials.ts";
import { modelResolver } from "../../src/arms/model/resolve-model.ts";
import { upstreams } from "../../src/arms/model/upstream.ts";
import { recordInto } from "../../src/arms/recording/record.ts";
import { type ReplayOptions, replayFrom } from "../../src/arms/recording/replay.ts";
import type { SessionServices } from "../../src/comparison/planning/services.ts";
import { scenarioDigest } from "../../src/comparison/scenario/digest.ts";
import type { LoadedScenario } from "../../src/comparison/scenario/loaded-scenario.ts";
import type { Scenario } from "../../src/domain/scenario.ts";
import { systemClock, systemEntropy } from "../../src/runtime/clock.ts";
import { Semaphore } from "../../src/runtime/semaphore.ts";
import type { Responder, SeenRequest } from "../fake-provider/exchange.ts";
import { playScript } from "../fake-provider/play-script.ts";
import { bundled, testServices } from "../harness.ts";
import { wellFormed } from "../judge/mock-judge.ts";

const VERSION = "0.1.6";

/** Services that record what a provider at these variables answers. */
export const recordingServices = (
  directory: string,
  environment: Readonly<Record<string, string>>,
  changes: Partial<SessionServices> = {},
): SessionServices => {
  const { redactSecrets: redact } = new Credentials(environment);
  const recording = { clock: systemClock, entropy: systemEntropy, redact, version: VERSION };
  return testServices(environment, { recordings: recordInto(directory, recording), ...changes });
};

/** Services without a key, whose network fails the test. */
export const replayingServices = (
  directory: string,
  options: Partial<ReplayOptions> = {},
  changes: Partial<SessionServices> = {},
): SessionServices => {
  const replaying = { entropy: systemEntropy, redact: (text: string) => text, version: VERSION };
  const fetch = () => {
    throw new Error("a replay reached for the network");
  };
  const models = {
    ...{ credentials: new Credentials({}), clock: systemClock, limiter: new Semaphore(16), fetch },
    replay_only: true,
  };
  return testServices(
    {},
    {
      recordings: replayFrom(directory, replaying, { strict: false, live_judge: false, ...options }),
      resolveModel: modelResolver(models),
      openUpstream: upstreams(models),
      ...changes,
    },
  );
};

/** A bundled scenario whose arms are models of two providers, and whose judge is one of a third. */
export async function withModels(name: string): Promise<LoadedScenario> {
  const loaded = await bundled(name);
  const [first, second] = loaded.definition.arms;
  return changed(loaded, {
    varies: ["model", "system_prompt"],
    arms: [
      { ...first, model: "anthropic/one", script: null },
      { ...second, model: "openai/two", script: null },
    ],
    rubric: { ...loaded.definition.rubric, judge: { ...loaded.definition.rubric.judge, model: "gateway/judge" } },
  });
}

function changed(loaded: LoadedScenario, changes: Partial<Scenario>): LoadedScenario {
  const definition = { ...loaded.definition, ...changes };
  return { ...loaded, definition, digest: scenarioDigest(definition) };
}

/** Plays the scripts of that scenario's arms, and judges. */
export async function playing(name: string): Promise<Responder> {
  const { definition } = await bundled(name);
  const [first, second] = definition.arms;
  return playScript({
    scriptOf: ({ model }) => ({ one: first.script, two: second.script })[model] ?? undefined,
    judge: (request) => wellFormed(asAsked(request), ({ index }) => ({ [index]: 2 })),
  });
}

const asAsked = (request: SeenRequest) => request as unknown as ModelRequest; // what is read of it, both have
