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

/** The evals of a skill: one that runs, and one with a pattern that nobody matches in linear time. */
export const SKILL_EVALS = `scenarios:
  - name: "Names the last page"
    prompt: "Which page is the last?"
    setup:
      files: [{path: shop/pager.txt, source: "../../skills/pager/fixtures/pager.txt"}, {path: n.txt, content: "3\\n"}]
    assertions:
      - {type: exit_success}
      - {type: output_contains, value: "Page 3"}
      - {type: output_not_contains, value: sorry}
      - {type: output_matches, pattern: "(third|3)"}
      - {type: output_not_matches, pattern: "page (4|5)"}
      - {type: file_exists, path: "notes/*.md"}
      - {type: file_contains, path: "**/*.txt", value: "3"}
    expect_tools: [bash]
    rubric: ["Says how it was counted"]
    timeout: 90
  - {name: Looks ahead, prompt: Go., assertions: [{type: output_matches, pattern: "a(?=b)"}]}
  - {name: Bigger, prompt: Go., fancy: true, assertions: [{type: exit_success}]}
`;

export const PROMPTFOO = `prompts:
  - "Translate {{text}} to {{language}}."
  - file://polite.txt
providers: [openai:gpt-5]
defaultTest: {vars: {language: French}, assert: [{type: not-icontains, value: sorry}]}
tests:
  - vars: {text: Hello}
    assert:
      - {type: contains, value: Bonjour, weight: 2}
      - {type: contains-any, value: [ami, "monde (tout)"]}
      - {type: starts-with, value: "{{language}}"}
      - {type: llm-rubric, value: Is it polite?}
  - {vars: {text: Bye}, assert: [{type: javascript, value: output.length}]}
  - {vars: {text: {a: 1}}, assert: [{type: is-json}]}
`;
