import type { Sandbox } from "../../../arms/sandbox/sandbox.ts";
import type { ArmTools } from "../../../arms/tool/arm-tools.ts";
import { openPristine } from "../../../arms/workspace/pristine.ts";
import type { Pristine, Workspace, WorkspacePlaces } from "../../../arms/workspace/workspace.ts";
import { withWhatWasMissing } from "../../../comparison/evidence/could-not-run.ts";
import { runProbe } from "../../../comparison/evidence/run-probe.ts";
import type { AgentArm } from "../../../comparison/planning/agent-runner.ts";
import { importedRunner, type RanArm } from "../../../comparison/planning/arm-source.ts";
import { filesSource, fixtureSource } from "../../../comparison/scenario/fixture-source.ts";
import type { LoadedScenario } from "../../../comparison/scenario/loaded-scenario.ts";
import { probeSource } from "../../../comparison/scenario/materials.ts";
import type { Arm } from "../../../domain/arm.ts";
import type { ArmNotes } from "../../../domain/arm-notes.ts";
import { CHECK_OUTPUT_KB } from "../../../domain/defaults.ts";
import type { ProbeResult } from "../../../domain/evidence.ts";
import { wordsOf } from "../../../domain/failure.ts";
import { counted } from "../../../domain/number-text.ts";
import { checkKind, type Probe, type ProbeCheck, promptFor, type Task } from "../../../domain/task.ts";
import { systemClock } from "../../../runtime/clock.ts";
import type { Rehearsal } from "./rehearse-agent.ts";

interface DryRunOptions {
  readonly loaded: LoadedScenario;
  readonly sandbox: Sandbox;
  readonly places: WorkspacePlaces | undefined;
  readonly redact: (text: string) => string;
  /** Gives up the unpacking of an image. */
  readonly signal: AbortSignal;
  /** Starts the MCP servers of an arm in a workspace; absent: nothing asks for it. */
  readonly openTools?: OpenTools;
  /** Runs an external agent in a workspace, at no cost; absent: nothing asks for it. */
  readonly rehearse?: Rehearse;
  /** Asks a program in a workspace its first question; absent: nobody is to be asked. */
  readonly askProgram?: AskProgram | undefined;
}

type AskProgram = (arm: Arm, workspace: Workspace, signal: AbortSignal) => Promise<void>;

type Rehearse = (arm: AgentArm, workspace: Workspace, signal: AbortSignal) => Promise<Rehearsal>;

type OpenTools = (arm: Arm, workspace: Workspace, signal: AbortSignal) => Promise<ArmTools>;

/** Milliseconds for a command that only tells its version. */
const PRINT_MS = 10_000;

/** One state of the workspace, probed two times. */
export type ProbedTwice = readonly [ProbeResult, ProbeResult];

/** Runs a scenario's setup and checks without its arms. Each part runs when it is first asked for. */
export class DryRun implements AsyncDisposable {
  readonly loaded: LoadedScenario;
  readonly pristine: Pristine;
  readonly #redact: DryRunOptions["redact"];
  readonly #openTools: OpenTools | undefined;
  readonly #rehearse: Rehearse | undefined;
  /** Asks a program its first question in a workspace of its own; undefined: nobody is to be asked. @throws what its answer has */
  readonly askProgram: ((arm: Arm, signal: AbortSignal) => Promise<void>) | undefined;
  readonly #opened: Workspace[] = [];
  readonly #rehearsals = new Map<string, Promise<Rehearsal>>();
  #untouched: Promise<ProbedTwice | null> | undefined;
  #patched: Promise<Workspace> | undefined;
  #solved: Promise<ProbedTwice | null> | undefined;

  constructor({ loaded, sandbox, places, redact, signal, openTools, rehearse, askProgram }: DryRunOptions) {
    this.loaded = loaded;
    this.#redact = redact;
    this.#openTools = openTools;
    this.#rehearse = rehearse;
    this.askProgram = askProgram && ((arm, stop) => askProgram(arm, this.#open(arm), stop));
    this.pristine = openPristine({
      source: fixtureSource(loaded),
      places,
      ...{ sandbox, keep: false, signal },
    });
  }

  /** The probe on the fixture as it is after setup, without checks that are posted; null when there is none. */
  untouched(signal: AbortSignal): Promise<ProbedTwice | null> {
    const { probe } = this.loaded.definition.task;
    const checks = probe?.checks.filter(({ posted }) => posted === undefined) ?? [];
    const examined = { probe: probe && checks.length > 0 ? { ...probe, checks } : null, answer: null };
    this.#untouched ??= this.#probeTwice(Promise.resolve(this.#open()), examined, signal);
    return this.#untouched;
  }

  /** The fixture with a patch applied, the same each time. @throws Mistake naming the hunk that does not apply. */
  patched(patch: string): Promise<Workspace> {
    this.#patched ??= this.#apply(patch);
    return this.#patched;
  }

  /**
   * The probe on the reference fix or answer, with the checks that can judge it; null when there are none.
   * @param task as it is once its fix is known
   */
  solved(signal: AbortSignal, task = this.loaded.definition.task): Promise<ProbedTwice | null> {
    const { probe, reference_fix, reference_answer } = task;
    const checks = probe?.checks.filter((check) => isExaminable(task, check)) ?? [];
    const examined = { probe: probe && checks.length > 0 ? { ...probe, checks } : null };
    const subject = reference_fix ? this.patched(reference_fix.patch) : Promise.resolve(this.#open());
    this.#solved ??= this.#probeTwice(subject, { ...examined, answer: reference_answer?.text ?? null }, signal);
    return this.#solved;
  }

  /** The paths among `globs` that the commands of the checks change. An arm may run the same commands, without the hidden files. */
  async changedByChecks(globs: readonly string[], signal: AbortSignal): Promise<readonly string[]> {
    const { task, policies } = this.loaded.definition;
    const workspace = this.#open();
    for (const { run, timeout_s } of task.probe?.checks ?? []) {
      if (run === undefined) continue;
      const limits = { timeout_ms: timeout_s * 1000, max_output_bytes: CHECK_OUTPUT_KB * 1024 };
      await workspace.exec({ run, ...limits, network: policies.network }, signal);
    }
    return await workspace.altered(globs);
  }

  /** What a command prints in a workspace of its own. */
  async printed(run: string, signal: AbortSignal, timeout_ms = PRINT_MS): Promise<string> {
    const limits = { timeout_ms, max_output_bytes: CHECK_OUTPUT_KB * 1024 };
    const { output } = await this.#open().exec({ run, ...limits, network: "none" }, signal);
    return output;
  }

  /** The tools of an arm's MCP servers, which run in a workspace of their own until this is disposed of. @throws Failure */
  async mcpTools(arm: Arm, signal: AbortSignal): Promise<ArmTools | undefined> {
    return await this.#openTools?.(arm, this.#open(arm), signal);
  }

  /** How an external agent behaves in a workspace of its own, once for all who ask. @throws Failure */
  async rehearse(arm: AgentArm, signal: AbortSignal): Promise<Rehearsal> {
    if (this.#rehearse === undefined) throw new Error("nobody said how agents are rehearsed");
    const known = this.#rehearsals.get(arm.id) ?? this.#rehearse(arm, this.#open(arm), signal);
    this.#rehearsals.set(arm.id, known);
    return await known;
  }

  /** The arm's own files, laid over a workspace; null where it has none. @throws Failure where they cannot lie there */
  async notes(arm: Arm): Promise<ArmNotes | null> {
    return (await this.#open(arm).notes())?.notes ?? null;
  }

  /** What comes of a run that was made elsewhere, in a workspace of its own; or why nothing can. */
  async imported(
    arm: RanArm,
    signal: AbortSignal,
  ): Promise<{ readonly fault: string | null; readonly summary: string }> {
    const { task, policies } = this.loaded.definition;
    const workspace = this.#open();
    const run = { arm, prompt: promptFor(task, arm), policies, workspace, clock: systemClock, redact: this.#redact };
    const end = await importedRunner(this.loaded, arm)({ ...run, emit: () => undefined }, signal);
    signal.throwIfAborted();
    if (end.status === "failed") return { fault: wordsOf(end.cause), summary: "" };
    const { files } = await workspace.changes();
    const changed = end.imported?.no_change ? "its change is not known" : `${counted(files.length, "file")} changed`;
    return { fault: null, summary: `${counted(end.turns, "turn")}, ${counted(end.tool_calls, "call")}, ${changed}` };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const workspace of this.#opened) await workspace[Symbol.asyncDispose]();
    await this.pristine[Symbol.asyncDispose]();
  }

  #open(arm?: Arm): Workspace {
    const workspace = this.pristine.open(arm?.files && filesSource(this.loaded, arm.files));
    this.#opened.push(workspace);
    return workspace;
  }

  async #apply(patch: string): Promise<Workspace> {
    const workspace = this.#open();
    await workspace.applyPatch(patch);
    return workspace;
  }

  /** Probes one after the other. In parallel they would slow each other down and look flaky. */
  async #probeTwice(
    subject: Promise<Workspace>,
    { probe, answer }: { readonly probe: Probe | null; readonly answer: string | null },
    signal: AbortSignal,
  ): Promise<ProbedTwice | null> {
    const workspace = await subject;
    const { policies, input } = this.loaded.definition;
    if (probe === null) return null;
    const run = {
      probe,
      left: { answer, calls: [], decisions: [], changes: await workspace.changes(), input },
      overlay: probeSource(this.loaded),
      protected: policies.paths.protected,
      network: policies.network,
      redact: this.#redact,
    };
    const { task } = this.loaded.definition;
    // No arm made what the reference adds.
    const ran = { workspace, overlay: run.overlay, changes: { files: [] }, task };
    const probed = async () => await withWhatWasMissing(await runProbe(workspace, run, signal), ran);
    return [await probed(), await probed()];
  }
}

/** A reference fix cannot satisfy a check of the answer, nor a known answer one of the files; neither makes calls, and nobody is asked. */
function isExaminable({ reference_fix, reference_answer }: Task, check: ProbeCheck): boolean {
  const kind = checkKind(check);
  if (kind === "called" || kind === "posted") return false;
  const ofFiles = kind === "changed" || (kind === "run" && !check.run?.includes("ABEVAL_EVIDENCE"));
  return ofFiles ? reference_fix !== null : reference_answer !== undefined;
}
