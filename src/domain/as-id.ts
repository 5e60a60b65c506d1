import { asText, NAME_CHARS } from "./lenient.ts";
import { sha256 } from "./sha256.ts";

/** An id as it is kept. Some gateways write a whole signature into one: a long one counts by its digest. */
export function asId(value: unknown): string | undefined {
  const id = asText(value);
  return id === undefined || id.length <= NAME_CHARS ? id : sha256(id);
}
