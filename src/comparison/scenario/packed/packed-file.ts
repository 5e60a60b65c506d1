import { Unusable } from "../unusable.ts";

/** What stands before the bytes of a file: one line of JSON. */
export interface PackedFile {
  /** Relative, with forward slashes. */
  readonly path: string;
  readonly kind: "file" | "executable" | "link";
  /** The file's size; for a link, the length of its target. */
  readonly bytes: number;
}

/** A path of the operating system has at most 4,096 bytes; JSON may take six for one. */
export const HEADER_BYTES = 32 * 1024;

/** Null: the end, so that a stream that was cut can be told from a whole one. */
export const packedHeader = (file: PackedFile | null): Uint8Array =>
  Buffer.from(`${JSON.stringify(file && { path: file.path, kind: file.kind, bytes: file.bytes })}\n`);

/** @throws Unusable */
export function parseHeader(line: string): PackedFile | null {
  const value = jsonOf(line);
  if (value === null) return null;
  if (isPackedFile(value)) return value;
  throw new Unusable("is damaged");
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new Unusable("is damaged", { cause: error });
  }
}

const KINDS: readonly unknown[] = ["file", "executable", "link"] satisfies PackedFile["kind"][];

const isPackedFile = (value: unknown): value is PackedFile =>
  typeof value === "object" &&
  value !== null &&
  "path" in value &&
  typeof value.path === "string" &&
  "kind" in value &&
  KINDS.includes(value.kind) &&
  "bytes" in value &&
  Number.isSafeInteger(value.bytes) &&
  Number(value.bytes) >= 0;
