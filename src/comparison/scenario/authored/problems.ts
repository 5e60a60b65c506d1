import { cut } from "../../../domain/excerpt.ts";

/** Where in a scenario file a value stands: keys and list positions from the top. */
export type FieldPath = readonly (string | number)[];

export interface Problem {
  readonly path: FieldPath;
  readonly message: string;
  /** Whether an error points at the key or at the value. */
  readonly at: "key" | "value";
  /** The values around it can still be used. */
  readonly harmless?: boolean;
  /** Character offset in the text, where the path alone would not find it. */
  readonly offset?: number;
}

/** Further problems are dropped: an author mends the first ones and runs it again. */
const MAX_PROBLEMS = 500;

/** Collects everything that is wrong with one file. */
export class Problems {
  readonly #found: Problem[] = [];

  get found(): readonly Problem[] {
    return this.#found;
  }

  get full(): boolean {
    return this.#found.length >= MAX_PROBLEMS;
  }

  add(path: FieldPath, message: string, place: Partial<Pick<Problem, "at" | "offset" | "harmless">> = {}): void {
    if (!this.full) this.#found.push({ path, message, at: "value", ...place });
  }

  /** Whether this value already has a problem that makes it unusable. */
  saidOf(path: FieldPath): boolean {
    const field = fieldName(path);
    return this.#found.some((problem) => !problem.harmless && fieldName(problem.path) === field);
  }

  /** Whether the value at `path` has no problem in it. False once there are too many problems to know. */
  sound(path: FieldPath): boolean {
    return !this.full && !this.#found.some((problem) => !problem.harmless && touches(problem.path, path));
  }
}

/** A problem touches a value when it lies in it or around it. */
const touches = (problem: FieldPath, path: FieldPath) =>
  path.every((step, index) => index >= problem.length || problem[index] === step);

/** `arms[1].model`; keys that would read as something else are quoted. Empty for the whole file. */
export function fieldName(path: FieldPath): string {
  const steps = path.map((step) => {
    if (typeof step === "number") return `[${step}]`;
    return /^[\w-]{1,64}$/.test(step) ? `.${step}` : `[${JSON.stringify(cut(step))}]`;
  });
  return steps.join("").replace(/^\./, "");
}
