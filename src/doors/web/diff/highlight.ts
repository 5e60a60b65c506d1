import bash from "highlight.js/lib/languages/bash";
import css from "highlight.js/lib/languages/css";
import go from "highlight.js/lib/languages/go";
import json from "highlight.js/lib/languages/json";
import markdown from "highlight.js/lib/languages/markdown";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import { createLowlight } from "lowlight";

const lowlight = createLowlight({ bash, css, go, json, markdown, python, rust, sql, typescript, xml, yaml });

const LANGUAGES: Readonly<Record<string, string>> = {
  ...{ ts: "typescript", tsx: "typescript", mts: "typescript", js: "typescript", jsx: "typescript", mjs: "typescript" },
  ...{ py: "python", sh: "bash", bash: "bash", css: "css", html: "xml", svg: "xml", xml: "xml", rs: "rust", go: "go" },
  ...{ json: "json", jsonc: "json", yaml: "yaml", yml: "yaml", md: "markdown", sql: "sql" },
};

/** Characters above which a text is not coloured, because that would hold up the page: about 1,500 lines of code. */
const COLOURED_CHARS = 60_000;

/** Some text and the class of its colour. */
export interface ColouredText {
  readonly text: string;
  readonly class: string;
}

/** The lines of a text, coloured by the path's ending; null when the language is unknown or the text too long. */
export function highlightLines(path: string, text: string | null): readonly (readonly ColouredText[])[] | null {
  const language = LANGUAGES[path.split(".").at(-1)?.toLowerCase() ?? ""];
  if (language === undefined || text === null || text.length > COLOURED_CHARS) return null;
  const lines: ColouredText[][] = [[]];
  flatten(lowlight.highlight(language, text), "", lines);
  return lines;
}

type Tree = ReturnType<typeof lowlight.highlight>;
type TreeNode = Tree | Tree["children"][number];

/** Cuts the tree's text at line breaks. A token of several lines keeps its colour on each. */
function flatten(node: TreeNode, inherited: string, lines: ColouredText[][]): void {
  if (node.type === "text") append(node.value, inherited, lines);
  if (!("children" in node)) return;
  const own = node.type === "element" ? String((node.properties["className"] as string[] | undefined)?.[0] ?? "") : ""; // as lowlight writes it
  for (const child of node.children) flatten(child, own || inherited, lines);
}

function append(value: string, colour: string, lines: ColouredText[][]): void {
  for (const [index, text] of value.split("\n").entries()) {
    if (index > 0) lines.push([]);
    if (text !== "") lines.at(-1)?.push({ text, class: colour });
  }
}
