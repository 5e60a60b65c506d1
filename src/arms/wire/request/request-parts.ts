import type { Said } from "./message.ts";

/** What the reader of one wire finds in a body. */
export interface RequestParts {
  readonly system: string;
  readonly said: readonly Said[];
  readonly offers_tools: boolean;
}
