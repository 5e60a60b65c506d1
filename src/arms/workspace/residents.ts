import type { SandboxedProcess } from "../sandbox/sandbox.ts";

/** The programs that live in a workspace. Disposal ends them. */
export class Residents implements AsyncDisposable {
  readonly #programs = new Set<SandboxedProcess>();
  /** Works that need quiet and are under way. */
  #works = 0;
  #change: Promise<void> = Promise.resolve();

  add(program: SandboxedProcess): void {
    this.#programs.add(program);
    void program.ended.then(
      () => this.#programs.delete(program),
      () => this.#programs.delete(program),
    );
  }

  /** Does `work` while nothing of them runs. A program that cannot be paused is killed. */
  async quietly<T>(work: () => Promise<T>): Promise<T> {
    if (this.#programs.size === 0) return await work();
    this.#works += 1;
    try {
      await this.#changed(async () => await this.#each(paused));
      return await work();
    } finally {
      this.#works -= 1;
      await this.#changed(async () => {
        if (this.#works === 0) await this.#each((program) => program.resume());
      });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#each(async (program) => await program[Symbol.asyncDispose]());
  }

  /** One change after the other. */
  async #changed(change: () => Promise<void>): Promise<void> {
    this.#change = this.#change.then(change);
    await this.#change;
  }

  async #each(act: (program: SandboxedProcess) => Promise<void>): Promise<void> {
    await Promise.all([...this.#programs].map(act));
  }
}

async function paused(program: SandboxedProcess): Promise<void> {
  try {
    await program.pause();
  } catch {
    await program[Symbol.asyncDispose]();
  }
}
