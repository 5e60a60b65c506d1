import { parseJson } from "../domain/lenient.ts";
import type { WireCall } from "./wire.ts";

/** The input of a call whose arguments are JSON in a string. Some servers send an object, or nothing for no arguments. */
export function callInput(given: unknown): Pick<WireCall, "input" | "unparsed"> {
  if (typeof given !== "string") return { input: given ?? {} };
  if (given.trim() === "") return { input: {} };
  const input = parseJson(given);
  return input === undefined ? { input, unparsed: given } : { input };
}
