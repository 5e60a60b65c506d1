import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Value } from "@sinclair/typebox/value";
import { prepareSession } from "../src/comparison/planning/prepare-session.ts";
import { loadScenarioFile } from "../src/comparison/scenario/load-scenario.ts";
import type { LoadedScenario } from "../src/comparison/scenario/loaded-scenario.ts";
import { startSession } from "../src/comparison/session/start-session.ts";
import { Failure } from "../src/domain/failure.ts";
import { SessionOutcome } from "../src/domain/session.ts";
import { systemClock, systemEntropy } from "../src/runtime/clock.ts";
import { sqliteStore } from "../src/store/sqlite/sqlite-store.ts";
import type { Action } from "../test/fake-provider/exchange.ts";
import { FAKE_KEY, startFakeProvider } from "../test/fake-provider/fake-provider.ts";
import { announced, testServices } from "../test/harness.ts";
import { AT_ONCE, type Sdk, WIRES } from "../test/model/asking.ts";
import { type Campaign, type Case, hold, within } from "./campaign.ts";
import { openCaseDirectories } from "./case-directories.ts";
import { checkStateDirectory } from "./invariants.ts";
import { playLoad } from "./load.ts";
import { type NamedFault, PROVIDER_FAULTS } from "./provider-faults.ts";

/** Four turns of each arm and both orders of the judge. */
const CALLS = 10;

/** Milliseconds after which a session is told to stop when its provider never answers. */
const PATIENCE_MS = 400;
const STOPS_MS = 2_000;

/** Every fault at every call, once and for good, in both wire formats. */
export const campaign: Campaign = {
  about: "provider faults of every kind at every call, once and for good",
  at_once: 4,
  cases: async ({ count }) => {
    const all = WIRES.flatMap((wire) =>
      PROVIDER_FAULTS.flatMap((fault) =>
        Array.from({ length: CALLS }, (_, call) => [
          providerCase(wire, fault, call, false),
          providerCase(wire, fault, call, true),
        ]),
      ),
    ).flat();
    // A smaller number of cases is spread over all kinds.
    const step = all.length / count(all.length);
    return all.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step));
  },
};

function providerCase(wire: Sdk, { name, action, endless }: NamedFault, call: number, forever: boolean): Case {
  return {
    name: `${wire}: ${name} ${forever ? "from" : "at"} call ${call + 1}${forever ? " on" : ""}`,
    async run() {
      await using provider = await startFakeProvider({
        reply: (request) =>
          request.index === call || (forever && request.index > call) ? atOnce(action) : playLoad(request),
      });
      using directories = openCaseDirectories();
      const loaded = await scenarioFor(wire, directories.path);
      const notices: string[] = [];
      {
        using store = sqliteStore(directories.state, systemClock, systemEntropy);
        const services = testServices(provider.environment, { store, notice: (line) => void notices.push(line) });
        const { session_id, done } = await startSession(services, await prepareSession(services, loaded, {}));
        const events = announced(services, session_id);
        const stop = () => services.runs.live(session_id)?.cancel(new Failure("cancelled", "The run was interrupted."));
        const timer = endless ? setTimeout(stop, PATIENCE_MS) : undefined;
        const outcome = await within(endless ? PATIENCE_MS + STOPS_MS : 30_000, "the session to end", done);
        clearTimeout(timer);
        checkOutcome(outcome, !endless);
        const last = (await events).at(-1)?.event;
        hold(last === (outcome.verdict ? "verdict_ready" : "session_failed"), "the end to be announced", last);
      }
      hold(notices.length === 0, "nothing for the operator's log", notices);
      const stored = JSON.stringify(await checkStateDirectory(directories.state));
      hold(!stored.includes(FAKE_KEY), "no key in what is stored");
    },
  };
}

function checkOutcome(outcome: SessionOutcome, mustEnd: boolean): void {
  const misfit = [...Value.Errors(SessionOutcome, outcome)].map(({ path, message }) => `${path} ${message}`);
  hold(misfit.length === 0, "an outcome of the documented form", misfit);
  const { state, failure } = outcome;
  const ours = failure === null || failure.code === "provider_failed" || (!mustEnd && failure.code === "cancelled");
  hold(ours, "a verdict, or a failure that names the provider", failure);
  hold(state === "completed" || state === "failed" || state === "cancelled", "an end", state);
}

/** Adds the header by which a server tells an SDK when to try again. Without it an SDK waits for seconds. */
const atOnce = (action: Action): Action =>
  "fault" in action || "status" in action ? { ...action, headers: { ...AT_ONCE, ...action.headers } } : action;

async function scenarioFor(wire: Sdk, directory: string): Promise<LoadedScenario> {
  const model = (name: string) => `${wire === "openai" ? "openai" : "anthropic"}/${name}`;
  const file = join(directory, "asked.yaml");
  writeFileSync(
    file,
    `name: asked
task: {prompt: Say hello in a file.}
arms:
  - {id: left, model: ${model("m")}, system_prompt: Left.}
  - {id: right, model: ${model("m")}, system_prompt: Right.}
rubric: {criteria: [{id: polite, question: Is it polite?}], judge: {model: ${model("judge")}}}
`,
  );
  return await loadScenarioFile(file);
}
