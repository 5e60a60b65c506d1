import type { ModelClient } from "../../arms/model/client.ts";
import type { Recording } from "../../arms/model/recording.ts";
import type { OpenUpstream } from "../../arms/model/upstream.ts";
import type { RecordingDirectory } from "../../arms/recording/recordings.ts";
import type { Sandboxes } from "../../arms/sandbox/sandboxes.ts";
import type { ScriptTurn } from "../../domain/arm.ts";
import type { PriceList } from "../../domain/price-list.ts";
import type { SandboxMode } from "../../domain/session-settings.ts";
import type { Clock, Entropy } from "../../runtime/clock.ts";
import type { Semaphore } from "../../runtime/semaphore.ts";
import type { SharedStore } from "../../store/shared-store.ts";
import type { SessionStore } from "../../store/store.ts";
import type { Register, RunInFlight, SeriesInFlight } from "./register.ts";

/** The side effects and settings of a session, as values. A callee that needs less names it with `Pick`. */
export interface SessionServices {
  readonly clock: Clock;
  /** What arms are given may leave out the pauses of our own loop. */
  readonly arm_clock: Clock;
  readonly entropy: Entropy;
  readonly store: SessionStore;
  /** `store` where whoever has it open may run what is started here; absent: it runs here. */
  readonly shared?: SharedStore | undefined;
  readonly runs: Register<RunInFlight>;
  readonly series: Register<SeriesInFlight>;
  /** A place for each session that runs. */
  readonly slots: Semaphore;
  /** @throws Failure `credentials_missing` naming the variable to set, unless the recording is replayed. */
  readonly resolveModel: (ref: string, script: readonly ScriptTurn[] | null, recording?: Recording) => ModelClient;
  /** The way to a provider for requests that an external agent writes. @throws as `resolveModel` */
  readonly openUpstream: OpenUpstream;
  /** Where sessions are recorded or replayed from; absent: neither. */
  readonly recordings?: RecordingDirectory | undefined;
  /** Takes provider keys out of a text. */
  readonly redact: (text: string) => string;
  readonly sandbox: SandboxMode;
  /** The sandboxes of the machine that commands run on. */
  readonly sandboxes: Sandboxes;
  /** The judge that the environment names. It is used when neither request nor rubric names one. */
  readonly judge_model: string | undefined;
  /** What models cost, by whoever pays; it goes before what a scenario says. */
  readonly prices: PriceList;
  /** Runs and rejudges that could push the UTC day's cost over it are refused, USD; absent: no limit. */
  readonly max_cost_per_day_usd?: number | undefined;
  /** Absolute; holds a directory for each install that scenarios name. Absent: there are none. */
  readonly agents_dir?: string | undefined;
  /** Absolute; holds images, for scenarios that name one by its digest. Absent: there are none. */
  readonly images_dir?: string | undefined;
  /** Absolute; images are unpacked there. Absent: none can be. */
  readonly image_cache?: string | undefined;
  readonly keep_workspaces: boolean;
  /** One line for the person who started the program: what is not contained, what was left behind. */
  readonly notice: (line: string) => void;
  /** Hears what becomes of each run. Absent: nobody watches. */
  readonly news?: ((news: RunNews) => void) | undefined;
  /** Hears what models were asked for, and what that costs by known prices. Absent: nobody counts. */
  readonly spent?: ((spent: ModelUse) => void) | undefined;
  readonly version: string;
}

/** What became of a run, for whoever watches over many. */
export interface RunNews {
  /** `lost` and `superseded` runs begin anew elsewhere. */
  readonly event: "accepted" | "claimed" | "lost" | "superseded" | "ended";
  readonly session_id: string;
  readonly scenario?: string;
  readonly series_id?: string;
  readonly attempt?: number;
  readonly state?: string;
  /** Why it failed, or was lost. */
  readonly code?: string;
}

interface ModelUse {
  readonly by: "arm" | "judge";
  /** Replies. */
  readonly calls: number;
  /** What these replies cost; null when it is unknown. */
  readonly cost_usd: number | null;
}
