import { createHash } from "node:crypto";
import type { Arm, Check, CompareOptions, DeclaredCheck, Hidden, Row } from "./api.ts";

/** A function that somebody gave, and what it is known by. */
interface Named<F> {
  readonly id: string;
  readonly run: F;
  /** Undefined: nobody knows. */
  readonly version: string | undefined;
}

export interface NamedCheck extends Named<Check> {
  /** It gives a number; undefined: nobody knows until it returns. */
  readonly score: boolean | undefined;
  readonly min_score: number | undefined;
}

export interface Functions {
  readonly arms: readonly Named<Arm>[];
  readonly checks: readonly NamedCheck[];
}

/** @throws TypeError for what is no function */
export function functionsOf({ arms, checks = {} }: Pick<CompareOptions<Row, string>, "arms" | "checks">): Functions {
  const given = { arms: named("arms", arms), checks: named("checks", checks) };
  const declared = (id: string) => checks[id] as Partial<DeclaredCheck> | undefined;
  return {
    arms: given.arms as Named<Arm>[],
    checks: given.checks.map((check) => {
      const { score, minScore: min_score } = declared(check.id) ?? {};
      return { ...(check as Named<Check>), min_score, score: min_score === undefined ? score : true };
    }),
  };
}

function named(field: string, given: object): Named<unknown>[] {
  const entries = Object.entries(given).map(([id, value]) => {
    const { run, version } = typeof value === "function" ? { run: value } : (value ?? {});
    if (typeof run !== "function") throw new TypeError(`${field}.${id} is no function and has no function as run`);
    return { id, run, version: version as string | undefined, source: sourceOf(run) };
  });
  // Such keys of an object come first, whatever their order was: the control would be another one.
  const number = entries.find(({ id }) => /^\d+$/.test(id));
  if (number) throw new TypeError(`${field}: "${number.id}" is a number; give it a name`);
  return entries.map(({ id, run, version, source }) => {
    // What one function makes differs by what it closes over, which nobody can read.
    const isTwin = entries.filter((one) => one.source === source).length > 1;
    return { id, run, version: version ?? (isTwin ? undefined : source && sha256(source)) };
  });
}

/** Undefined for what JavaScript does not show: it is native, or bound. */
function sourceOf(run: object): string | undefined {
  const source = Function.prototype.toString.call(run);
  return /\{\s*\[native code\]\s*\}\s*$/.test(source) ? undefined : source;
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** Often the answer that a check looks for. */
export const HIDDEN: readonly Hidden[] = ["wanted", "expected", "reference", "answer", "target", "label"];

/** Rows by the id that abeval knows them by. */
export const rowsById = (rows: readonly Row[]): ReadonlyMap<string, Row> =>
  new Map(rows.map((row, index) => [idOf((row as { readonly id?: unknown }).id, index), row]));

const idOf = (given: unknown, index: number) =>
  given === undefined || given === null ? String(index + 1) : typeof given === "string" ? given : JSON.stringify(given);
