import { hash } from "node:crypto";

/** In hex. */
export const sha256 = (data: string | Uint8Array): string => hash("sha256", data);
