import { skillName, skillRead } from "../../domain/skill.ts";
import { type Effect, isToolName, TOOL_FACTS, type ToolName } from "../../domain/tool.ts";
import { CallFields } from "./call-fields.ts";
import type { Recipe, ToolTable } from "./recipe.ts";

/** A call of an agent in the words of our own tools, so that rules and judges read all agents alike. */
export interface CanonicalCall {
  /** One of our names, or the agent's own when the call does none of what our tools do. */
  readonly tool: string;
  /** Null when nobody knows. */
  readonly effect: Effect | null;
  /** The command or the path, relative to the workspace; what rules match on. Empty when there is none. */
  readonly subject: string;
  readonly input: object;
  /** Rules can be held against it. */
  readonly checked: boolean;
}

/** The names under which tools for skills get the skill's. */
const SKILL_FIELDS = ["skill", "name", "skill_name", "skillName", "command"];

/** The skill that a call reads, by the agent's own tool for that or by the skill's file; undefined for any other call. */
export function skillOf(
  { skill_tool }: Pick<Recipe, "skill_tool">,
  call: { readonly name: string; readonly input: unknown },
  { tool, subject }: Pick<CanonicalCall, "tool" | "subject">,
): string | undefined {
  if (call.name !== skill_tool) return skillRead(tool, subject);
  const { all } = new CallFields(call.input);
  const named = SKILL_FIELDS.map((field) => (Object.hasOwn(all, field) ? all[field] : undefined));
  const [name] = named.filter((value) => typeof value === "string");
  return name === undefined ? undefined : skillName(name.replace(/^\//, ""));
}

/**
 * By the scenario's table, then the recipe's, then the shape of the input.
 * @param at where the workspace is mounted
 */
export function canonicalCall(
  recipe: Pick<Recipe, "tools">,
  tools: Readonly<Record<string, ToolName>>,
  name: string,
  input: unknown,
  at?: string,
): CanonicalCall {
  const fields = new CallFields(input, at);
  const kind = listed(tools, name) ?? listed(recipe.tools, name) ?? kindByShape(name, fields);
  if (kind === undefined) return { tool: name, effect: null, subject: "", input: fields.all, checked: false };
  if (kind === "own" || onlyLooks(kind, fields))
    return { tool: name, effect: "read", subject: "", input: fields.all, checked: true };
  const { effect, subject: field } = TOOL_FACTS[kind];
  const canonical = INPUTS[kind](fields);
  const given = field === null ? undefined : Reflect.get(canonical, field);
  const subject = typeof given === "string" ? given : "";
  return { tool: kind, effect, subject, input: canonical, checked: field === null || subject !== "" };
}

/** An agent asks a shell that runs for its output by typing nothing. */
const onlyLooks = (kind: ToolName, fields: CallFields) => kind === "run_command" && fields.typed()?.trim() === "";

const listed = (table: ToolTable, name: string) => (Object.hasOwn(table, name) ? table[name] : undefined);

const INPUTS: Readonly<Record<ToolName, (fields: CallFields) => object>> = {
  run_command: (fields) => ({ command: fields.typed() ?? "" }),
  read_file: (fields) => located(fields),
  write_file: (fields) => ({ ...located(fields), content: fields.content() ?? "" }),
  edit_file: editInput,
  list_files: (fields) => {
    const pattern = fields.pattern() ?? fields.paths()[0];
    return pattern === undefined || pattern === "." ? {} : { pattern };
  },
  search_files: (fields) => {
    const [path] = fields.paths();
    return { pattern: fields.pattern() ?? "", ...(path !== undefined && path !== "." && { path }) };
  },
};

function located(fields: CallFields): { readonly path?: string; readonly paths?: readonly string[] } {
  const paths = fields.paths();
  const [path] = paths;
  return path === undefined ? {} : { path, ...(paths.length > 1 && { paths }) };
}

function editInput(fields: CallFields): object {
  const edits = fields.edits();
  const [edit] = edits;
  if (edit !== undefined) return { ...located(fields), ...(edits.length === 1 ? edit : { edits }) };
  const patch = fields.patch() ?? fields.content() ?? "";
  const path = fields.paths()[0] ?? fields.patchedPath();
  return { ...(path !== undefined && { path }), patch };
}

/** Tools of these names reach for other things than the workspace. */
const REMOTE = /web|fetch|url|http|browser|sql|memory|docs/i;
const READS = /read|view|open|cat\b|show/i;
const LISTS = /list|^ls$|dir|tree|glob|find/i;
const GLOBS = /glob|list/i;
const SEARCHES = /search|grep|^rg$|find/i;

/** What a tool of an unknown name does; undefined when its input does not tell. */
function kindByShape(name: string, fields: CallFields): ToolName | undefined {
  if (isToolName(name)) return name;
  if (REMOTE.test(name)) return undefined;
  const editing = fields.editorCommand();
  if (editing !== undefined) return editing;
  if (fields.command() !== undefined) return "run_command";
  return fields.patchedPath() === undefined ? kindOfPlace(name, fields) : "edit_file";
}

function kindOfPlace(name: string, fields: CallFields): ToolName | undefined {
  if (fields.paths().length > 0) {
    if (fields.edits().length > 0) return "edit_file";
    if (fields.content() !== undefined) return "write_file";
  }
  if (fields.pattern() !== undefined) return when(GLOBS, name, "list_files") ?? when(SEARCHES, name, "search_files");
  if (fields.paths().length === 0) return undefined;
  return when(LISTS, name, "list_files") ?? when(READS, name, "read_file");
}

const when = (pattern: RegExp, name: string, kind: ToolName) => (pattern.test(name) ? kind : undefined);
