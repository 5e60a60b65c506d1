import { join } from "node:path";
import { ROOT } from "./abeval.ts";

/** A file of the house. */
export interface Source {
  /** From the root of the project. */
  readonly path: string;
  readonly text: string;
}

export async function sourcesBelow(folder: string, extensions = "{ts,tsx}"): Promise<Source[]> {
  const paths = [...new Bun.Glob(`${folder}/**/*.${extensions}`).scanSync(ROOT)];
  return await Promise.all(paths.map(async (path) => ({ path, text: await Bun.file(join(ROOT, path)).text() })));
}

const EXPORT = /^export (?:async |abstract )*(?:const|let|function\*?|class|interface|type) (\w+)/gm;

/** A name counts once for a file: a schema and its type share one. */
export const exportsOf = ({ text }: Source) => [...new Set([...text.matchAll(EXPORT)].map(([, name = ""]) => name))];

export const linesOf = (files: readonly Source[]) =>
  files.reduce((lines, { text }) => lines + text.split("\n").length - 1, 0);

/** What a wing of the house, or a file beside them, takes. */
export interface WingSize {
  readonly files: number;
  readonly lines: number;
  readonly names: number;
}

/** Folders that are told as a whole. The library for TypeScript is no part of the program. */
const WHOLE = ["test", "release/npm/library"];

/** By wing: `src/arms`, `src/main.ts`; and what is told as a whole. */
export async function wingSizes(): Promise<ReadonlyMap<string, WingSize>> {
  const all = (await Promise.all(["src", ...WHOLE].map((folder) => sourcesBelow(folder)))).flat();
  const wings = Map.groupBy(
    all,
    ({ path }) => WHOLE.find((folder) => path.startsWith(`${folder}/`)) ?? path.split("/").slice(0, 2).join("/"),
  );
  return new Map(
    [...wings].map(([wing, files]) => [
      wing,
      { files: files.length, lines: linesOf(files), names: files.flatMap(exportsOf).length },
    ]),
  );
}
