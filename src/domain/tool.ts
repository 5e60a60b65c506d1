/** What a call can do: `read` changes nothing, `write` changes the file that its path names, `command` may do anything. */
export const EFFECTS = ["read", "write", "command"] as const;
export type Effect = (typeof EFFECTS)[number];

/** What a tool does, and the field of its input that rules match on. A tool that writes or runs commands always has one. */
export type ToolFacts =
  | { readonly effect: "read"; readonly subject: "path" | null }
  | { readonly effect: "write"; readonly subject: "path" }
  | { readonly effect: "command"; readonly subject: "command" };

/** The tools that a scenario may name. */
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

/** The effect of the tool with this name; undefined when there is none. For scripts, and for calls that recorded no effect. */
export const effectOf = (name: string): Effect | undefined =>
  TOOL_NAMES.includes(name as ToolName) ? TOOL_FACTS[name as ToolName].effect : undefined;
