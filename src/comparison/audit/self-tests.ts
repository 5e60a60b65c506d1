import type { SelfTest } from "../../domain/self-test.ts";

/** Failed self-tests that are remembered. */
const REMEMBERED = 100;

/** The self-tests of a process that are not in its store: those that run, and the last that failed. */
export class SelfTests {
  readonly #known = new Map<string, SelfTest>();

  get(self_test_id: string): SelfTest | undefined {
    return this.#known.get(self_test_id);
  }

  all(): readonly SelfTest[] {
    return [...this.#known.values()];
  }

  set(self_test: SelfTest): void {
    this.#known.set(self_test.self_test_id, self_test);
    const ended = [...this.#known.values()].filter(({ state }) => state !== "running");
    for (const { self_test_id } of ended.slice(0, -REMEMBERED)) this.#known.delete(self_test_id);
  }

  delete(self_test_id: string): void {
    this.#known.delete(self_test_id);
  }
}
