import { isMalformed, readBoundedJson } from "../../runtime/bounded-json.ts";
import type { WireCall } from "./wire.ts";

/** The most that the inputs of all calls of one request or reply have together. Large edits have some hundred values. */
const LIMITS = { bytes: 8 * 1024 * 1024, values: 50_000 };

/** Reads the inputs that are JSON in texts, of one request or reply. */
export class CallInputs {
  #values = LIMITS.values;
  #exceeded = false;

  /** There was more than is read. */
  get exceeded(): boolean {
    return this.#exceeded;
  }

  /** Undefined for a text that is no JSON, and for one that is not read. No text means no arguments. */
  read(text: string): unknown {
    if (text.trim() === "") return {};
    const read = readBoundedJson(Buffer.from(text), { ...LIMITS, values: this.#values });
    if ("fault" in read) {
      this.#exceeded ||= !isMalformed(read.fault);
      return undefined;
    }
    this.#values -= read.values;
    return read.value;
  }
}

/** The input of a call whose arguments are JSON in a string. Some servers send an object, or nothing for no arguments. */
export function callInput(given: unknown, inputs = new CallInputs()): Pick<WireCall, "input" | "unparsed"> {
  const { input, unparsed } = writtenInput(given);
  if (unparsed === undefined) return { input };
  const read = inputs.read(unparsed);
  return read === undefined ? { input: read, unparsed } : { input: read };
}

/** The same before the string is read. */
export const writtenInput = (given: unknown): Pick<WireCall, "input" | "unparsed"> =>
  typeof given === "string" ? { input: undefined, unparsed: given } : { input: given ?? {} };
