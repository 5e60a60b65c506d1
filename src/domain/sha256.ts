/** In hex. Of the runtime, since node:crypto takes milliseconds to load. */
export const sha256 = (data: string | Uint8Array): string => new Bun.CryptoHasher("sha256").update(data).digest("hex");
