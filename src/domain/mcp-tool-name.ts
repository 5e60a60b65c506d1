import { sha256 } from "./sha256.ts";

/** Stands between the name of a server, which has no underscore, and the name of its tool. */
const SEPARATOR = "__";

/** What providers take as the name of a tool: characters, and how many. */
const OTHER_CHARACTERS = /[^a-zA-Z0-9_-]/g;
const MAX_CHARS = 64;

/** Hexadecimal digits that keep two names apart which were cut to the same. */
const HASH_CHARS = 6;

/** The name by which a model and a scenario call the tool of a server. One that is too long ends in a hash of the whole. */
export function mcpToolName(server: string, tool: string): string {
  const whole = `${server}${SEPARATOR}${tool}`;
  const name = whole.replace(OTHER_CHARACTERS, "_");
  if (name.length <= MAX_CHARS) return name;
  return `${name.slice(0, MAX_CHARS - HASH_CHARS - 1)}_${sha256(whole).slice(0, HASH_CHARS)}`;
}

/** The server that a name begins with, and the rest; undefined for what is no name of an MCP tool. */
export function splitMcpToolName(name: string): { readonly server: string; readonly tool: string } | undefined {
  const [, server, tool] = /^([a-z][a-z0-9-]*)__(.+)$/.exec(name) ?? [];
  return server === undefined || tool === undefined ? undefined : { server, tool };
}
