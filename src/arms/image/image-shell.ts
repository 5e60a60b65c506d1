import { closeSync, openSync, readSync } from "node:fs";
import { findInRoot } from "./image-root.ts";

const SHELL = "/bin/sh";

/** Why no command can be started in an image, to follow its path; null when nothing tells. Only the shell's first bytes are read. */
export function shellFault(root: string): string | null {
  const shell = findInRoot(root, SHELL);
  if (!shell)
    return `has no ${SHELL}, which commands need; build it on an image with a shell, such as debian or alpine`;
  if (!shell.stats.isFile() || (shell.stats.mode & 0o111) === 0)
    return `has a ${SHELL} that is no executable file; put a shell there, with chmod 755`;
  const starter = starterOf(headOf(shell.path));
  if (starter === undefined || findInRoot(root, starter)?.stats.isFile()) return null;
  return `lacks ${JSON.stringify(starter.slice(0, 200))}, with which its ${SHELL} is started; put it into the image (a C library brings its loader), or use a static shell`;
}

/** Bytes in which a program says what starts it. */
const HEAD_BYTES = 8_192;

function headOf(path: string): Buffer {
  const descriptor = openSync(path, "r");
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    return head.subarray(0, readSync(descriptor, head, 0, HEAD_BYTES, 0));
  } finally {
    closeSync(descriptor);
  }
}

/** The program that starts one: a script's interpreter, or the loader of one with libraries. Undefined when it needs none. */
function starterOf(head: Buffer): string | undefined {
  if (head.toString("latin1", 0, 2) === "#!") return /^#!\s*(\S+)/.exec(head.toString())?.[1];
  if (head.toString("latin1", 0, 6) !== "\x7fELF\x02\x01") return undefined;
  const [table, size, count] = [Number(head.readBigUInt64LE(32)), head.readUInt16LE(54), head.readUInt16LE(56)];
  for (let at = table; at + size <= head.length && at < table + count * size && size >= PROGRAM_HEADER; at += size)
    if (head.readUInt32LE(at) === INTERPRETER) {
      const start = Number(head.readBigUInt64LE(at + 8));
      return head.toString("utf8", start, start + Number(head.readBigUInt64LE(at + 32))).split("\0", 1)[0] || undefined;
    }
  return undefined;
}

/** Of 64-bit ELF files (elf(5)): bytes of an entry of the program header table, and the kind that names the loader. */
const PROGRAM_HEADER = 56;
const INTERPRETER = 3;
