import { ftruncateSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "../../domain/failure.ts";
import { readFault, sandboxUnavailable } from "./fault.ts";
import type { OwnNetwork } from "./isolation/own-network.ts";
import { type BubblewrapSettings, startContained } from "./process/start-contained.ts";
import { type Launch, Launcher, type Started } from "./process/started.ts";
import type { Owner } from "./sandbox.ts";

/** Commands in namespaces of their own: no network unless asked, no foreign file or process, nothing outlives them. */
export class BubblewrapSandbox extends Launcher {
  readonly kind = "bubblewrap";
  readonly owner: Owner | null;
  readonly version: string;
  readonly #settings: BubblewrapSettings;
  #sound = true;

  constructor(settings: BubblewrapSettings) {
    super();
    this.owner = settings.owner;
    this.version = settings.version;
    this.#settings = settings;
  }

  /** False once a command could not be started in it. */
  get sound(): boolean {
    return this.#sound;
  }

  /** The same, but a command with an open network gets a network of its own. */
  withNetwork(own_network: OwnNetwork): BubblewrapSandbox {
    return new BubblewrapSandbox({ ...this.#settings, own_network });
  }

  async launch(launch: Launch, signal: AbortSignal): Promise<Started> {
    try {
      return await this.#begun(launch, signal);
    } catch (error) {
      if (error instanceof Failure && error.code === "sandbox_unavailable") this.#sound = false;
      throw error;
    }
  }

  /** Tries again what may pass: the other arm may have filled this user's share of processes. */
  async #begun(launch: Launch, signal: AbortSignal, delays_ms = RETRY_DELAYS_MS): Promise<Started> {
    const attempt = await startContained(this.#settings, launch, signal);
    if ("ended" in attempt) return attempt;
    const [delay_ms, ...later_ms] = delays_ms;
    if (launch.surroundings?.image && OF_IMAGE.test(attempt.said)) throw imageFault(attempt.said);
    if (delay_ms === undefined || !PASSING.test(attempt.said)) throw sandboxUnavailable(readFault(attempt.said));
    await sleep(delay_ms);
    signal.throwIfAborted();
    if (launch.output !== null) ftruncateSync(launch.output);
    return await this.#begun(launch, signal, later_ms);
  }
}

/** What bubblewrap, or a loader of libraries, says of a program that is in an image. */
const OF_IMAGE = /execvp |loading shared librar/i;

const imageFault = (said: string) =>
  new Failure(
    "workspace_failed",
    `no program of the task's image can be started: ${said.trim().slice(0, 300)}; try its /bin/sh where the image was made, and put what is missing into it`,
  );

/** Milliseconds until another try. */
const RETRY_DELAYS_MS: readonly number[] = [50, 200, 800, 3_200];

/** Faults that pass when other processes have ended. */
const PASSING = /temporarily unavailable|EAGAIN|Cannot allocate memory|ENOMEM|Too many open files/;
