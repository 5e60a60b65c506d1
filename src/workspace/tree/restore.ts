import { lchownSync, readlinkSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { Pace } from "../../pace.ts";
import type { Difference } from "../diff/compare.ts";
import type { Sandbox } from "../workspace.ts";
import { readRegular } from "./contents.ts";
import { displace, place } from "./place.ts";

export interface Restoration {
  readonly from: string;
  readonly to: string;
  readonly differences: readonly Difference[];
  readonly owner: Sandbox["owner"];
}

/** Puts paths back to what they are in `from`: added ones go, changed and deleted ones return. */
export async function restore({ from, to, differences, owner }: Restoration): Promise<void> {
  const pace = new Pace();
  // What was added goes first: it may stand where something has to return.
  for (const { path, before } of differences) {
    await pace.entry();
    if (!before) displace(to, path);
  }
  for (const { path, before } of differences) {
    await pace.bytes(before?.size ?? 0);
    if (before?.kind === "link") restoreLink(from, to, path, owner);
    const bytes = before?.kind === "file" ? readRegular(from, path, before.size) : undefined;
    if (before && bytes) place(to, { path, bytes, mode: before.mode }, owner);
  }
}

function restoreLink(from: string, to: string, path: string, owner: Sandbox["owner"]): void {
  // Clears the way as for a file, then takes the file's place.
  place(to, { path, bytes: "", mode: 0o600 }, owner);
  displace(to, path);
  symlinkSync(readlinkSync(join(from, path), { encoding: "buffer" }), join(to, path));
  if (owner) lchownSync(join(to, path), owner.uid, owner.gid);
}
