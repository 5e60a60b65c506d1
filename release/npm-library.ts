import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Contest } from "../src/domain/contest.ts";
import { Series } from "../src/domain/series.ts";
import type { TarEntry } from "./tar.ts";
import { typeText } from "./type-text.ts";

const SOURCES = join(import.meta.dir, "npm/library");

/** What `import` finds in the package, by its name there; the types need no other package. */
export const LIBRARY_EXPORTS = {
  ".": { types: "./library/index.d.mts", default: "./library/index.mjs" },
  "./matchers": { types: "./library/matchers.d.mts", default: "./library/matchers.mjs" },
  "./package.json": "./package.json",
};

/** The library for Node and Bun: a bundle for each export, with its declarations, and what finds the executable. */
export async function libraryFiles(): Promise<readonly TarEntry[]> {
  const built = await Bun.build({
    entrypoints: ["index.ts", "matchers.ts"].map((file) => join(SOURCES, file)),
    ...{ target: "node", format: "esm", naming: "[name].mjs" },
  });
  const bundles = built.outputs.map(async (output) => ({
    path: `library/${output.path.replace("./", "")}`,
    bytes: new Uint8Array(await output.arrayBuffer()),
  }));
  const text = (name: string, content: string) => ({ path: `library/${name}.d.mts`, bytes: Buffer.from(content) });
  return [
    ...(await Promise.all(bundles)),
    text("documents", `${typeText("Series", Series)}\n${typeText("Contest", Contest)}`),
    text("index", await indexTypes()),
    text("matchers", MATCHERS),
    { path: "executable.cjs", bytes: await readFile(join(SOURCES, "../executable.cjs")) },
  ];
}

/** The library's own words about its types, but for where the documents' types are. */
async function indexTypes(): Promise<string> {
  const api = await readFile(join(SOURCES, "api.ts"), "utf8");
  const own = api.replace(/^import type .*\n/gm, "").trim();
  return `import type { Contest, Series } from "./documents.mjs";
export type { Contest, Series };

${own}

export declare const compare: Compare;
export declare const results: Results;
`;
}

const MATCHERS = `import type { Matcher } from "./index.mjs";
export type { AbevalMatchers } from "./index.mjs";
export declare const toBeNotWorse: Matcher;
export declare const toBeBetter: Matcher;
`;
