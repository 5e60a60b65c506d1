import { dirname, join, normalize } from "node:path";
import { ROOT } from "./abeval.ts";

/** Figures about the size of the house, for whoever wants to see it shrink. */
interface Source {
  readonly path: string;
  readonly text: string;
}

async function sources(folder: string): Promise<Source[]> {
  const paths = [...new Bun.Glob(`${folder}/**/*.{ts,tsx}`).scanSync(ROOT)];
  return await Promise.all(paths.map(async (path) => ({ path, text: await Bun.file(join(ROOT, path)).text() })));
}

const EXPORT = /^export (?:async |abstract )*(?:const|let|function\*?|class|interface|type) (\w+)/gm;
const IMPORT = /^import (?:type )?\{([^}]*)\} from "(\.[^"]+)"/gm;

/** A name counts once for a file: a schema and its type share one. */
const exportsOf = ({ text }: Source) => [...new Set([...text.matchAll(EXPORT)].map(([, name = ""]) => name))];

/** `path name` of everything that a file imports. */
const importsOf = ({ path, text }: Source) =>
  [...text.matchAll(IMPORT)].flatMap(([, names = "", target = ""]) =>
    names
      .split(",")
      .map((name) =>
        name
          .replace(/^\s*type /, "")
          .split(" as ")[0]
          ?.trim(),
      )
      .map((name) => `${normalize(join(dirname(path), target))} ${name}`),
  );

const countOf = (values: readonly string[]) => {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
};

const linesOf = (files: readonly Source[]) => files.reduce((lines, { text }) => lines + text.split("\n").length - 1, 0);

const src = await sources("src");
const test = await sources("test");
const exported = src.flatMap((source) => exportsOf(source).map((name) => `${source.path} ${name}`));
const importers = countOf(src.flatMap((source) => [...new Set(importsOf(source))]));
const declared = countOf(exported.map((entry) => entry.split(" ")[1] ?? ""));
const twice = [...declared].filter(([, files]) => files > 1).map(([name]) => name);

console.log(`entries at the top of src         ${new Set(src.map(({ path }) => path.split("/")[1])).size}`);
console.log(`files of src                      ${src.length}`);
console.log(`names exported                    ${exported.length}`);
console.log(`exports with one importer in src  ${exported.filter((entry) => importers.get(entry) === 1).length}`);
console.log(`names declared in several files   ${twice.length}`);
console.log(`lines of src                      ${linesOf(src)}`);
console.log(`lines of tests                    ${linesOf(test)}`);
if (process.argv.includes("--names")) console.log(twice.sort().join(", "));
