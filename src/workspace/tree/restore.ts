import { readlinkSync } from "node:fs";
import { join } from "node:path";
import { Pace } from "../../pace.ts";
import type { Difference } from "../diff/compare.ts";
import type { Sandbox } from "../workspace.ts";
import { readRegular } from "./contents.ts";
import { place, placeLink } from "./place.ts";

export interface Restoration {
  readonly from: string;
  /** Holds nothing of the differences. */
  readonly to: string;
  readonly differences: readonly Difference[];
  readonly owner: Sandbox["owner"];
}

/** Puts paths back to what they are in `from`: changed and deleted ones return. */
export async function restore({ from, to, differences, owner }: Restoration): Promise<void> {
  const pace = new Pace();
  for (const { path, before } of differences) {
    await pace.bytes(before?.size ?? 0);
    if (before?.kind === "link") {
      placeLink(to, path, readlinkSync(join(from, path), { encoding: "buffer" }), owner);
      continue;
    }
    const bytes = before?.kind === "file" ? readRegular(from, path, before.size) : undefined;
    if (before && bytes) place(to, { path, bytes, mode: before.mode }, owner);
  }
}
