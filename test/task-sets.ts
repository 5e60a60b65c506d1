/** Tasks in the forms of other tools, as files by their path. */

interface Exercise {
  readonly solution?: string;
  readonly config?: object;
}

/** An exercise with two tests, the second of them skipped for students. */
export function exercise(
  directory: string,
  { solution = "export const add = (a, b) => a + b;\n", config }: Exercise = {},
): Record<string, string> {
  const name = directory.split("/").at(-1);
  const files = { solution: [`${name}.js`], test: [`${name}.spec.js`], example: [".meta/proof.js"] };
  return {
    [`${directory}/.meta/config.json`]: JSON.stringify(config ?? { files, blurb: "Add two numbers" }),
    [`${directory}/.meta/proof.js`]: solution,
    [`${directory}/.docs/instructions.md`]: "Add two numbers.\n",
    [`${directory}/${name}.js`]: "export const add = () => {\n  throw new Error('write it');\n};\n",
    [`${directory}/${name}.spec.js`]: [
      'import { expect, test, xtest } from "@jest/globals";',
      `import { add } from "./${name}.js";`,
      'test("two", () => expect(add(1, 2)).toBe(3));',
      'xtest("negative", () => expect(add(1, -2)).toBe(-1));',
      "",
    ].join("\n"),
  };
}
