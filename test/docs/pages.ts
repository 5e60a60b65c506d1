import { join } from "node:path";
import { ROOT } from "../abeval.ts";

interface Block {
  /** The HTML comment on the line before the block. */
  readonly comment: string | null;
  readonly language: string;
  readonly text: string;
}

export interface Page {
  readonly path: string;
  readonly text: string;
  readonly blocks: readonly Block[];
}

/** A page of this repository, by its path from the root. */
export async function readPage(path: string): Promise<Page> {
  const text = await Bun.file(join(ROOT, path)).text();
  return { path, text, blocks: blocksOf(text) };
}

/** Pages whose examples and flags are compared with the program. docs/mcp.md has tests of its own. */
export const PAGES: readonly Page[] = await Promise.all(
  [
    "README.md",
    "docs/ci.md",
    "docs/judging.md",
    "docs/series.md",
    "docs/first-evaluation.md",
    "docs/imported-runs.md",
    "docs/security.md",
    "docs/scale.md",
    "docs/http.md",
    "scenarios/README.md",
  ].map(readPage),
);

export function pageNamed(path: string): Page {
  const page = PAGES.find((candidate) => candidate.path === path);
  if (!page) throw new Error(`${path} is not among the pages`);
  return page;
}

function blocksOf(text: string): Block[] {
  const fence = /^(?:[ \t]*<!-- (.*?) -->\n)?([ \t]*)```(\w+)\n([\s\S]*?)\n\2```$/gm;
  return [...text.matchAll(fence)].map(([, comment = null, indent = "", language = "", body = ""]) => ({
    comment,
    language,
    text: body.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
  }));
}

/** The rows, without the head, of the first table below a line that begins with `line`. */
export function tableBelow({ text, path }: Page, line: string): string[][] {
  const [, after] = text.split(`\n${line}`);
  const [table] = /(?:^\|.*\|\n)+/m.exec(after ?? "") ?? [];
  if (table === undefined) throw new Error(`${path}: no table below "${line}"`);
  const rows = table.trimEnd().split("\n").slice(2);
  return rows.map((row) =>
    row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}
