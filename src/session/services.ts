import type { Clock, Entropy } from "../clock.ts";
import type { PriceList } from "../domain/price-list.ts";
import type { ScriptTurn } from "../domain/scenario.ts";
import type { SandboxMode } from "../domain/session.ts";
import type { ModelClient } from "../model/client.ts";
import type { SessionStore } from "../store/store.ts";
import type { LiveRuns } from "../stream/live-runs.ts";
import type { SandboxHost } from "../workspace/sandbox/host.ts";
import type { SessionIds } from "./session-id.ts";
import type { Slots } from "./slots.ts";

/** What a session needs until it starts: nothing of it writes. */
export type PreparationServices = Omit<SessionServices, "store">;

/** Every side effect a session may have, as values. */
export interface SessionServices {
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly store: SessionStore;
  readonly live: LiveRuns;
  readonly slots: Slots;
  readonly ids: SessionIds;
  /** @throws Failure `credentials_missing` naming the variable to set. */
  readonly resolveModel: (ref: string, script: readonly ScriptTurn[] | null) => ModelClient;
  /** Takes provider keys out of a text. */
  readonly redact: (text: string) => string;
  readonly sandbox: SandboxMode;
  /** The machine that commands run on; absent: this one, as far as it is known without its environment. */
  readonly sandbox_host?: SandboxHost;
  /** From the environment; used when neither request nor rubric names a judge. */
  readonly judge_model: string | undefined;
  /** What models cost, by whoever pays; it goes before what a scenario says. */
  readonly prices: PriceList;
  /** Runs and rejudges that could push the UTC day's cost over it are refused, USD; absent: no limit. */
  readonly max_cost_per_day_usd?: number | undefined;
  readonly keep_workspaces: boolean;
  /** One line for the person who started the program: what is not contained, what was left behind. */
  readonly notice: (line: string) => void;
  readonly version: string;
}
