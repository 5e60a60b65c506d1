import { open } from "node:fs/promises";
import { Pace } from "../../../runtime/pace.ts";
import type { TreeEntry } from "./walk.ts";

/** Bytes that a file may lack on disk without being copied with care: tails and small metadata. */
const SLACK_BYTES = 64 * 1024;

/** Fewer bytes on disk than it claims. */
export const hasHoles = ({ size, disk_bytes }: TreeEntry): boolean => size - disk_bytes > SLACK_BYTES;

const CHUNK_BYTES = 1024 * 1024;
const ZEROS = Buffer.alloc(CHUNK_BYTES);

/** Writes only what is not zero, so that a copy takes no more of the disk than its original. `to` must not exist. */
export async function copyWithHoles(from: string, to: string): Promise<void> {
  const pace = new Pace();
  const buffer = Buffer.alloc(CHUNK_BYTES);
  await using source = await open(from, "r");
  await using target = await open(to, "wx", 0o600);
  for (let position = 0; ; ) {
    const { bytesRead } = await source.read(buffer, 0, CHUNK_BYTES, position);
    if (bytesRead === 0) return await target.truncate(position);
    const chunk = buffer.subarray(0, bytesRead);
    if (!chunk.equals(ZEROS.subarray(0, bytesRead))) await target.write(chunk, 0, bytesRead, position);
    position += bytesRead;
    await pace.bytes(bytesRead);
  }
}
