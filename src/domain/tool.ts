/**
 * What a call can do: `read` changes nothing, `write` changes the file that its path names, `command` may do anything, and so
 * may `opaque`, of which no rule knows what it is about to do.
 */
export type Effect = ToolFacts["effect"];

/** What a tool does, and the field of its input that rules match on. A tool that writes or runs commands always has one. */
export type ToolFacts =
  | { readonly effect: "read"; readonly subject: "path" | null }
  | { readonly effect: "write"; readonly subject: "path" }
  | { readonly effect: "command"; readonly subject: "command" }
  | { readonly effect: "opaque"; readonly subject: null };

/** Our own tools. An arm can have those of MCP servers besides. */
export const TOOL_FACTS = {
  read_file: { effect: "read", subject: "path" },
  write_file: { effect: "write", subject: "path" },
  edit_file: { effect: "write", subject: "path" },
  list_files: { effect: "read", subject: null },
  search_files: { effect: "read", subject: null },
  run_command: { effect: "command", subject: "command" },
} as const satisfies Readonly<Record<string, ToolFacts>>;
export type ToolName = keyof typeof TOOL_FACTS;
export const TOOL_NAMES = Object.keys(TOOL_FACTS) as ToolName[];

export const isToolName = (name: string): name is ToolName => Object.hasOwn(TOOL_FACTS, name);

/** The effect of our tool with this name; undefined when there is none. For scripts, and for calls that recorded no effect. */
export const effectOf = (name: string): Effect | undefined => (isToolName(name) ? TOOL_FACTS[name].effect : undefined);
