import { CHECK_OUTPUT_KB } from "../../../domain/defaults.ts";
import type { ProbeResult } from "../../../domain/evidence.ts";
import { runProbe } from "../../../evidence/run-probe.ts";
import { fixtureSource } from "../../../scenario/fixture-source.ts";
import type { LoadedScenario } from "../../../scenario/loaded-scenario.ts";
import { probeSource } from "../../../scenario/materials.ts";
import { openPristine } from "../../../workspace/pristine.ts";
import type { Pristine, Sandbox, Workspace } from "../../../workspace/workspace.ts";

interface TrialOptions {
  readonly loaded: LoadedScenario;
  readonly sandbox: Sandbox;
  readonly redact: (text: string) => string;
}

/** One state of the workspace, probed two times. */
export type ProbedTwice = readonly [ProbeResult, ProbeResult];

/** A scenario being tried out without its arms. What costs time happens when first asked for, and only then. */
export class Trial implements AsyncDisposable {
  readonly loaded: LoadedScenario;
  readonly pristine: Pristine;
  readonly #redact: TrialOptions["redact"];
  readonly #opened: Workspace[] = [];
  #untouched: Promise<ProbedTwice | null> | undefined;
  #patched: Promise<Workspace> | undefined;
  #fixed: Promise<ProbedTwice | null> | undefined;

  constructor({ loaded, sandbox, redact }: TrialOptions) {
    this.loaded = loaded;
    this.#redact = redact;
    this.pristine = openPristine({ source: fixtureSource(loaded), sandbox, keep: false });
  }

  /** The probe on the fixture as it is after setup; null when there is none. */
  untouched(signal: AbortSignal): Promise<ProbedTwice | null> {
    this.#untouched ??= this.#probeTwice(Promise.resolve(this.#open()), signal);
    return this.#untouched;
  }

  /** The fixture with a patch applied, the same each time. @throws Mistake naming the hunk that does not apply. */
  patched(patch: string): Promise<Workspace> {
    this.#patched ??= this.#apply(patch);
    return this.#patched;
  }

  /** The probe on the fixture with the patch applied. */
  fixed(patch: string, signal: AbortSignal): Promise<ProbedTwice | null> {
    this.#fixed ??= this.#probeTwice(this.patched(patch), signal);
    return this.#fixed;
  }

  /** Paths among `globs` that the checks' own commands change, run without the hidden files as an arm may run them. */
  async changedByChecks(globs: readonly string[], signal: AbortSignal): Promise<readonly string[]> {
    const { task, policies } = this.loaded.definition;
    const workspace = this.#open();
    for (const { run, timeout_s } of task.probe?.checks ?? []) {
      const limits = { timeout_ms: timeout_s * 1000, max_output_bytes: CHECK_OUTPUT_KB * 1024 };
      await workspace.exec({ run, ...limits, network: policies.network }, signal);
    }
    return await workspace.altered(globs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const workspace of this.#opened) await workspace[Symbol.asyncDispose]();
    await this.pristine[Symbol.asyncDispose]();
  }

  #open(): Workspace {
    const workspace = this.pristine.open();
    this.#opened.push(workspace);
    return workspace;
  }

  async #apply(patch: string): Promise<Workspace> {
    const workspace = this.#open();
    await workspace.applyPatch(patch);
    return workspace;
  }

  /** One after the other: at the same time they would slow each other down and look flaky for it. */
  async #probeTwice(subject: Promise<Workspace>, signal: AbortSignal): Promise<ProbedTwice | null> {
    const workspace = await subject;
    const { task, policies } = this.loaded.definition;
    if (task.probe === null) return null;
    const run = {
      probe: task.probe,
      overlay: probeSource(this.loaded),
      protected: policies.paths.protected,
      network: policies.network,
      redact: this.#redact,
    };
    return [await runProbe(workspace, run, signal), await runProbe(workspace, run, signal)];
  }
}
