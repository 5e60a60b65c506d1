import { DRAIN } from "../drain.ts";
import type { CommandSpec } from "../flags/parse-arguments.ts";
import { RUN } from "../flags/run-flags.ts";
import { toolSpec } from "../flags/tool-flags.ts";
import { INIT } from "../init.ts";
import { MCP } from "../mcp.ts";
import { PRUNE } from "../prune.ts";
import { SERVE } from "../serve.ts";
import { SHOW } from "../show.ts";
import { WATCH } from "../watch.ts";

/** Every command by its word, in the order of the help. For what lists all of them: it loads more than any command needs. */
export const COMMAND_TABLE: Readonly<Record<string, CommandSpec<string>>> = {
  run: RUN,
  serve: SERVE,
  mcp: MCP,
  check: toolSpec("check"),
  new: toolSpec("new"),
  init: INIT,
  show: SHOW,
  results: toolSpec("results"),
  bless: toolSpec("bless"),
  "judge-test": toolSpec("judge-test"),
  watch: WATCH,
  prune: PRUNE,
  drain: DRAIN,
};

/** What stands for one sentence of a command. */
export const sentenceOf = ({ description }: Pick<CommandSpec<string>, "description">): string =>
  /^.*?[.:](?=\s|$)/s.exec(description.replaceAll("\n", " "))?.[0].slice(0, -1) ?? description;
