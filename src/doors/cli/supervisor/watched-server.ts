import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { constants } from "node:os";
import { systemClock } from "../../../runtime/clock.ts";
import { BEAT_MS, type FromServer, type ToServer } from "./messages.ts";

/**
 * Milliseconds without a sign of life in which whoever listens was awake: a look counts no more than the pause between two. So
 * neither a machine that sleeps nor a signal that stops both is taken for silence.
 */
export class AwakeSilence {
  #ms = 0;
  #looked: number;

  constructor(ticks: number) {
    this.#looked = ticks;
  }

  get ms(): number {
    return this.#ms;
  }

  look(ticks: number): number {
    this.#ms += Math.min(ticks - this.#looked, BEAT_MS);
    this.#looked = ticks;
    return this.#ms;
  }

  end(): void {
    this.#ms = 0;
  }
}

export interface Limits {
  /** Milliseconds without a sign of life after which the server is told to end. */
  readonly silence_ms: number;
  /** Milliseconds after that in which it may still obey. */
  readonly obey_ms: number;
}

/** How a server ended. */
export interface ServerEnd {
  /** As a shell gives it: 128 + n for a signal. */
  readonly status: number;
  readonly signal: NodeJS.Signals | null;
  /** Milliseconds for which it served; undefined: it never did. */
  readonly served_ms: number | undefined;
  /** It gave no sign of life and was ended. */
  readonly stood: boolean;
}

/** Runs that are known by name at most. */
const KNOWN = 40;

interface Watching {
  readonly limits: Limits;
  readonly opening: (told: NonNullable<FromServer["opening"]>) => void;
  readonly ready: (told: NonNullable<FromServer["ready"]>) => void;
  readonly left: (left: number) => void;
  /** It gave no sign of life for so long. These runs were under way; this was the step that was told last. */
  readonly stands: (silent_ms: number, work: readonly string[], step: string) => void;
}

/** The server as a process of its own, which is ended when it stands still. */
export class WatchedServer {
  readonly ended: Promise<ServerEnd>;
  readonly #child: ChildProcess;
  readonly #watching: Watching;
  readonly #looks: NodeJS.Timeout;
  #work: readonly string[] = [];
  #step = "none";
  /** Ticks when it was ready. */
  #since: number | undefined;
  readonly #silence = new AwakeSilence(systemClock.ticks());
  #stood = false;

  constructor([file, ...args]: readonly [string, ...string[]], watching: Watching) {
    this.#watching = watching;
    this.#child = spawn(file, args, { stdio: ["inherit", "inherit", "inherit", "ipc"] });
    this.ended = new Promise((resolve, reject) => {
      this.#child.once("error", reject);
      this.#child.once("exit", (code, signal) => resolve(this.#end(code, signal)));
    });
    this.#child.on("message", (message) => this.#hear(message as FromServer)); // our own program sends it
    this.#looks = setInterval(() => this.#look(), BEAT_MS);
  }

  /** Milliseconds without a sign of life; undefined before it was ready. */
  get silent_ms(): number | undefined {
    return this.#since === undefined ? undefined : this.#silence.ms;
  }

  /** What cannot be sent reaches nobody: its end follows. */
  tell(message: ToServer): void {
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  #hear({ opening, ready, beat, left, step }: FromServer): void {
    this.#silence.end();
    if (beat) this.#work = beat;
    if (step !== undefined) this.#hearStep(step);
    if (left !== undefined) this.#watching.left(left);
    if (opening) this.#watching.opening(opening);
    if (!ready) return;
    this.#since = systemClock.ticks();
    this.#watching.ready(ready);
    this.tell({ heard: true });
  }

  /** A run is under way from its first step, not only from the next sign of life. */
  #hearStep(step: string): void {
    const id = step.slice(0, step.indexOf(" ") + 1);
    this.#work = [...this.#work.filter((one) => !one.startsWith(id)), step].slice(-KNOWN);
    this.#step = step;
  }

  /** A start is not watched: it may have to change a large store. */
  #look(): void {
    const silent_ms = this.#silence.look(systemClock.ticks());
    const { limits, stands } = this.#watching;
    if (this.#since === undefined || silent_ms < limits.silence_ms) return;
    if (this.#stood) {
      if (silent_ms >= limits.silence_ms + limits.obey_ms) this.kill("SIGKILL");
    } else if (isTraced(this.#child.pid)) {
      this.#silence.end();
    } else {
      this.#stood = true;
      stands(silent_ms, this.#work, this.#step);
      this.kill("SIGTERM");
    }
  }

  #end(code: number | null, signal: NodeJS.Signals | null): ServerEnd {
    clearInterval(this.#looks);
    const served_ms = this.#since === undefined ? undefined : systemClock.ticks() - this.#since;
    const status = code ?? 128 + constants.signals[signal ?? "SIGKILL"];
    return { status, signal, served_ms, stood: this.#stood };
  }
}

/** Whether a debugger holds it. Only Linux says so. */
function isTraced(pid: number | undefined): boolean {
  try {
    return /^TracerPid:\s*[1-9]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
