import type { Decision } from "../domain/decision.ts";
import { asName } from "../domain/lenient.ts";

/** Of one arm's decisions as JSON. A long run of hundreds of turns has some megabytes. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Decisions of one arm as they are stored: names are short, and after so many bytes no texts follow. */
export class KeptDecisions {
  readonly #max_bytes: number;
  #bytes = 0;

  constructor(max_bytes = MAX_BYTES) {
    this.#max_bytes = max_bytes;
  }

  /** Texts of later decisions are left out. */
  get full(): boolean {
    return this.#bytes > this.#max_bytes;
  }

  kept(decision: Decision): Decision {
    if (decision.detail === undefined) return decision;
    const fields = Object.entries(decision.detail).map(([name, value]) => [name, this.#field(name, value)]);
    // Each field stays of its type, so the detail is still one of its kind.
    const kept = { ...decision, detail: Object.fromEntries(fields) } as Decision;
    this.#bytes += Buffer.byteLength(JSON.stringify(kept));
    return kept;
  }

  #field(name: string, value: unknown): unknown {
    if (Array.isArray(value)) return value.slice(0, MAX_NAMES).map((one) => asName(one) ?? one);
    if (NAMES.has(name)) return asName(value) ?? value;
    return TEXTS.has(name) && this.full ? "" : value;
  }
}

const NAMES: ReadonlySet<string> = new Set(["tool", "own_tool", "stop_reason", "code"]);
const TEXTS: ReadonlySet<string> = new Set(["text", "input", "output"]);

/** Of the tools that one turn calls. */
const MAX_NAMES = 1_000;
