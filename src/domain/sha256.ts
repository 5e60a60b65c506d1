import { hash } from "node:crypto";

/** A SHA-256 digest in hex. */
export const sha256 = (data: string | Uint8Array): string => hash("sha256", data);
