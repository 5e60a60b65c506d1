/**
 * Whether the program runs on Bun. The server, SQLite and a `bun` for commands come from there; on Deno, where the sources run
 * too, whoever asks for one of them is told so.
 */
export const ON_BUN = process.versions["bun"] !== undefined;
