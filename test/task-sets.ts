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

interface ContainerTask {
  readonly form: "harbor" | "terminal-bench";
  readonly dockerfile?: string;
  readonly solution?: string;
  readonly script?: string;
  readonly more?: Readonly<Record<string, string>>;
}

/** A task that asks for a file in /app, with a test that is a script. */
export function containerTask(
  directory: string,
  {
    form,
    dockerfile = "",
    solution,
    script = 'grep -qx hello /app/out.txt && test -f "$TEST_DIR/wanted.txt"',
    more = {},
  }: ContainerTask,
): Record<string, string> {
  const harbor = form === "harbor";
  const paths = harbor
    ? { docker: "environment/Dockerfile", data: "environment/in.txt", run: "tests/test.sh", solve: "solution/solve.sh" }
    : { docker: "Dockerfile", data: "in.txt", run: "run-tests.sh", solve: "solution.sh" };
  const reward =
    "\nmkdir -p /logs/verifier\nif [ $? -eq 0 ]; then echo 1 > /logs/verifier/reward.txt; else echo 0 > /logs/verifier/reward.txt; fi";
  const files = {
    [paths.docker]: `FROM ubuntu:24.04\nRUN apt-get update && apt-get install -y \\\n    curl tmux && rm -rf /var/lib/apt/lists/*\n# Files\nWORKDIR /app\nCOPY in.txt ./\n${dockerfile}`,
    [paths.data]: "hello\n",
    [paths.run]: `#!/bin/bash\napt-get install -y curl\n${script}${harbor ? reward.replace("$?", "$RESULT").replace("\n", "\nRESULT=$?\n") : ""}\n`,
    "tests/wanted.txt": "hello\n",
    ...(solution !== undefined && { [paths.solve]: solution }),
    ...(harbor
      ? {
          "instruction.md": "Copy /app/in.txt to /app/out.txt.\n",
          "task.toml": 'version = "1.0"\n[agent]\ntimeout_sec = 900.0\n[verifier]\ntimeout_sec = 120.0\n',
        }
      : {
          "task.yaml":
            "instruction: |-\n  Copy /app/in.txt to /app/out.txt.\nmax_agent_timeout_sec: 900.0\nmax_test_timeout_sec: 120.0\n",
        }),
    ...more,
  };
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [`${directory}/${path}`, text]));
}
