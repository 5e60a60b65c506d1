import type { ToolName } from "../../domain/tool.ts";
import { editFile } from "./edit-file.ts";
import { listFiles } from "./list-files.ts";
import { readFile } from "./read-file.ts";
import { runCommand } from "./run-command.ts";
import { searchFiles } from "./search-files.ts";
import type { Tool } from "./tool.ts";
import { writeFile } from "./write-file.ts";

const TOOLS: Readonly<Record<ToolName, Tool>> = {
  read_file: readFile,
  write_file: writeFile,
  edit_file: editFile,
  list_files: listFiles,
  search_files: searchFiles,
  run_command: runCommand,
};

/** The tools that an arm may use, in the order it names them. */
export const toolbox = (names: readonly ToolName[]): readonly Tool[] => names.map((name) => TOOLS[name]);
