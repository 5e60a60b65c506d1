/** Prints figures about the size of the house, for whoever wants to see it shrink. */
import { dirname, join, normalize } from "node:path";
import { exportsOf, linesOf, type Source, sourcesBelow, wingSizes } from "./house.ts";

const IMPORT = /^import (?:type )?\{([^}]*)\} from "(\.[^"]+)"/gm;

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

const src = await sourcesBelow("src");
const test = await sourcesBelow("test");
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
console.log(`lines of python                   ${linesOf(await sourcesBelow("python", "py"))}`);
for (const [wing, { files, lines, names }] of await wingSizes())
  console.log(`${wing.padEnd(20)}${files} files, ${lines} lines, ${names} names`);
if (process.argv.includes("--names")) console.log(twice.sort().join(", "));
