import { existsSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../abeval.ts";

/** Directories that a page may leave out at the beginning of a path. */
const BASES = ["", "src"];

const spansOf = (text: string) => [...text.matchAll(/`([^`\s]+)`/g)].map(([, span = ""]) => span);

const exists = (path: string) => BASES.some((base) => existsSync(join(ROOT, base, path)));

/** Whether a span is a path: it ends like one, or begins with a directory that exists. */
function isPath(span: string): boolean {
  if (/[<>*:]|^[/@-]/.test(span)) return false;
  const [first = ""] = span.split("/");
  return /\/$|\.(tsx?|md|ya?ml|json)$/.test(span) || (span.includes("/") && exists(first));
}

/** Paths between backticks, and source files in pictures, that do not exist. */
export function missingPaths(text: string): string[] {
  const pictured = [...text.matchAll(/\b[a-z][\w-]*(?:\/[\w-]+)+\.tsx?\b/g)].map(([path]) => path);
  return [...new Set([...spansOf(text).filter(isPath), ...pictured])].filter((path) => !exists(path));
}

const EXPORT = /^export (?:async )?(?:const|function|class|interface|type) (\w+)/gm;

async function exportedNames(): Promise<ReadonlySet<string>> {
  const paths = [...new Bun.Glob("src/**/*.{ts,tsx}").scanSync(ROOT)];
  const texts = await Promise.all(paths.map(async (path) => await Bun.file(join(ROOT, path)).text()));
  return new Set(texts.flatMap((text) => [...text.matchAll(EXPORT)].map(([, name = ""]) => name)));
}

/** Names of code between backticks (they have capital letters) that no file of src exports. */
export async function missingNames(text: string): Promise<string[]> {
  const names = spansOf(text).filter((span) => /^\w*[A-Z]\w*$/.test(span));
  const exported = await exportedNames();
  return [...new Set(names)].filter((name) => !exported.has(name));
}
