import { readFileSync } from "node:fs";
import type { Owner } from "../sandbox/sandbox.ts";
import { ImageFault } from "./image-fault.ts";
import { findInRoot } from "./image-root.ts";

/** Bytes of a list of users or groups. */
const LIST_BYTES = 128 * 1024;

const MOST_ID = 65_534;

/** Whom an image's programs run as: `name`, `uid`, either with `:group`; empty is root. @throws ImageFault for whom it does not know */
export function imageUser(root: string, written: string): Owner {
  const [user = "", group] = written.split(":");
  const known = rowIn(root, "/etc/passwd", ([name, , uid]) => name === user || (user !== "" && uid === user));
  const uid = user === "" ? 0 : numberOf(known?.[2] ?? user);
  const gid = group === undefined ? numberOf(known?.[3] ?? "0") : groupOf(root, group);
  if (uid === undefined || gid === undefined)
    throw new ImageFault(
      `runs as ${JSON.stringify(written.slice(0, 80))}, whom its /etc/passwd and /etc/group do not name`,
    );
  return { uid, gid };
}

const groupOf = (root: string, group: string) =>
  numberOf(rowIn(root, "/etc/group", ([name]) => name === group)?.[2] ?? group);

type Row = readonly string[];

/** The first row that is meant. A row has seven fields at most. */
function rowIn(root: string, path: string, isMeant: (row: Row) => boolean): Row | undefined {
  const text = textInRoot(root, path, LIST_BYTES) ?? "";
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf("\n", start);
    const row = text.slice(start, end === -1 ? text.length : end).split(":", 7);
    if (isMeant(row)) return row;
    start = end === -1 ? text.length : end + 1;
  }
  return undefined;
}

/** A small text file of an image; undefined when it is none. */
function textInRoot(root: string, path: string, maxBytes: number): string | undefined {
  const found = findInRoot(root, path);
  if (!found?.stats.isFile() || found.stats.size > maxBytes) return undefined;
  return readFileSync(found.path, "utf8");
}

function numberOf(text: string): number | undefined {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : undefined;
  return number !== undefined && number <= MOST_ID ? number : undefined;
}
