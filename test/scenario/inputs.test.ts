import { describe, expect, test } from "bun:test";
import { loadScenarioFile } from "../../src/comparison/scenario/load-scenario.ts";
import { membersOf, oneMember } from "../../src/comparison/scenario/loaded-scenario.ts";
import { failureOf, scenarioFolder } from "./scenario-folder.ts";

const TABLE = `name: tone
inputs_file: rows.csv
task:
  prompt: "Answer: {{question}}"
  fixture: {files: {a.txt: "{{question}} {{{{ }}"}}
  probe:
    checks:
      - {id: has, answer_contains: ["{{wanted}}"]}
      - {id: form, answer_matches: "/^{{wanted}}$/"}
arms:
  - {id: plain, model: openai/gpt-x, system_prompt: "You know {{wanted}}."}
  - {id: warm, extends: plain, params: {temperature: 1}}
rubric:
  criteria: [Is it friendly?]
`;
const ROWS = 'id,question,wanted,language\nlate,"Where, then?",a.b,en\nsoon,"{{wanted}}\nnow",c,de\n';

const folder = (table: string, rows = ROWS) => scenarioFolder({ "tone.yaml": table, "rows.csv": rows });

async function messageOf(table: string, rows = ROWS): Promise<string> {
  await using files = await folder(table, rows);
  const path = files.path("tone.yaml");
  return (await failureOf(loadScenarioFile(path))).message.replaceAll(`${path}:`, "");
}

/** What `table` becomes with `from` in it replaced. */
const changed = (from: string, to: string) => TABLE.replace(from, to);

describe("inputs", () => {
  test("each row is a scenario with its values in its texts, filled once", async () => {
    await using files = await folder(TABLE, `\uFEFF${ROWS.replaceAll("\n", "\r\n")}`);
    const loaded = await loadScenarioFile(files.path("tone.yaml"));
    expect(loaded.definition.inputs).toMatchObject({ count: 2, fields: ["id", "question", "wanted", "language"] });
    expect(loaded.definition.task.prompt).toBe("Answer: {{question}}");
    const [late, soon] = await membersOf(loaded);
    expect(late?.definition.task.prompt).toBe("Answer: Where, then?");
    expect(late?.definition.task.fixture?.files["a.txt"]).toBe("Where, then? {{ }}");
    expect(late?.definition.arms[1].system_prompt).toBe("You know a.b.");
    expect(late?.definition.task.probe?.checks[0]?.answer_contains).toEqual(["a.b"]);
    expect(late?.definition.task.probe?.checks[1]?.answer_matches).toBe("/^a\\.b$/");
    expect(late?.definition.input?.id).toBe("late");
    expect(late?.definition.inputs).toBeUndefined();
    expect(soon?.definition.task.prompt).toStartWith("Answer: {{wanted}}");
    expect(soon?.digest).not.toBe(late?.digest ?? "");
  });

  test("rows stand in the file too, and other values are JSON", async () => {
    const inline = changed(
      "inputs_file: rows.csv",
      "inputs: [{question: [1, a], wanted: 2}, {id: x.y, question: q, wanted: true}]",
    );
    await using files = await folder(inline);
    const members = await membersOf(await loadScenarioFile(files.path("tone.yaml")));
    expect(members.map(({ definition }) => definition.input?.id)).toEqual(["1", "x.y"]);
    expect(members.map(({ definition }) => definition.task.prompt)).toEqual(['Answer: [1,"a"]', "Answer: q"]);
    expect(members[1]?.definition.task.probe?.checks[0]?.answer_contains).toEqual(["true"]);
  });

  test("rows are read from .jsonl and .yaml", async () => {
    for (const [name, text] of [
      ["rows.jsonl", '{"question":"q","wanted":"w"}\n\n{"question":"r","wanted":"w"}\n'],
      ["rows.yaml", "- {question: q, wanted: w}\n- {question: r, wanted: w}\n"],
    ] as const) {
      await using files = await scenarioFolder({ "tone.yaml": changed("rows.csv", name), [name]: text });
      const loaded = await loadScenarioFile(files.path("tone.yaml"));
      expect(loaded.table?.rows.map(({ id }) => id)).toEqual(["1", "2"]);
    }
  });

  test("what every row shares is read once, and stands for all of them", async () => {
    const shared = changed("fixture: {files: {a.txt:", "fixture: {dir: app, files: {a.txt:")
      .replace("  probe:\n", "  probe:\n    dir: hidden\n")
      .replace('system_prompt: "You know {{wanted}}."', "system_prompt_file: prompt.md");
    const beside = { "app/b.txt": "b\n", "hidden/c.txt": "c\n", "prompt.md": "Be kind." };
    await using files = await scenarioFolder({ "tone.yaml": shared, "rows.csv": ROWS, ...beside });
    const path = files.path("tone.yaml");
    const before = await membersOf(await loadScenarioFile(path));
    const loaded = await loadScenarioFile(path);
    for (const name of Object.keys(beside)) await files.write(name, "another");
    const after = await membersOf(loaded);
    expect(after.map(({ digest }) => digest)).toEqual(before.map(({ digest }) => digest));
    expect(after[0]?.definition.arms[0].system_prompt).toBe("Be kind.");
    expect((await membersOf(await loadScenarioFile(path)))[0]?.digest).not.toBe(before[0]?.digest ?? "");
  });

  test("rows share what no template fills: thousands of them cost little memory", async () => {
    await using files = await folder(TABLE);
    const { definition, table } = await loadScenarioFile(files.path("tone.yaml"));
    const [row] = table?.rows ?? [];
    if (!table || !row) throw new Error("the table has no rows");
    const { rubric, policies, arms } = (await table.resolve(row)).definition;
    expect(rubric).toBe(definition.rubric);
    expect(policies).toBe(definition.policies);
    expect(arms.map(({ system_prompt }) => system_prompt)).toEqual(["You know a.b.", "You know a.b."]);
    expect(definition.arms[0].system_prompt).toBe("You know {{wanted}}.");
  });

  test("what a row alone names is read again each time: a file that lacked is found when it is there", async () => {
    const ran = changed(
      '{id: plain, model: openai/gpt-x, system_prompt: "You know {{wanted}}."}',
      "{id: plain, ran: {answer: 'said/{{language}}.md'}}",
    ).replace("{id: warm, extends: plain, params: {temperature: 1}}", "{id: warm, model: openai/gpt-x}");
    await using files = await folder(ran);
    const loaded = await loadScenarioFile(files.path("tone.yaml"));
    expect((await failureOf(oneMember(loaded, "late"))).message).toContain("said/en.md does not exist");
    await files.write("said/en.md", "There.");
    expect((await oneMember(loaded, "late")).definition.arms[0].ran?.answer).toMatchObject({ file: "said/en.md" });
  });

  test("rows look once at files that they share, and others have their turn at each row that brings its own", async () => {
    const rows = Array.from({ length: 15 }, (_, at) => `r${at},q,w`);
    const turnsOf = async (table: string) => {
      await using files = await folder(table, `id,question,wanted\n${rows.join("\n")}\n`);
      await files.write("given/a.txt", "a");
      const loaded = await loadScenarioFile(files.path("tone.yaml"));
      let turns = 0;
      let over = false;
      void membersOf(loaded).finally(() => (over = true));
      for (; !over; turns++) await new Promise((resolve) => setImmediate(resolve));
      return turns;
    };
    expect(await turnsOf(TABLE)).toBeGreaterThanOrEqual(rows.length);
    const shared = changed('{files: {a.txt: "{{question}} {{{{ }}"}}', "{dir: given}");
    expect(await turnsOf(shared)).toBeLessThan(rows.length / 2);
  });

  test("a mistake is told with its place", async () => {
    const cases: readonly (readonly [table: string, rows: string, message: string])[] = [
      [
        changed('{{question}}"', '{{qestion}}"'),
        ROWS,
        '4:11 task.prompt: {{qestion}} names no column of the inputs; did you mean "question"?',
      ],
      [TABLE, "id,question\na,b\n", "{{wanted}} names no column of the inputs; there are id, question. For braces"],
      [TABLE, "id;question;wanted\na;b;c\n", 'the header is one column, "id;question;wanted": write commas between'],
      [
        TABLE,
        'id,question,wanted\na,"b,c\n',
        "2:14 inputs_file: rows.csv line 2, column 2: a quote opens here and is never closed; put one at the end",
      ],
      [TABLE, 'id,question,wanted\na,b"c,d\n', "line 2, column 2: a quote stands inside a value"],
      [
        TABLE,
        "id,question,wanted\na,b\n",
        "line 2: has 2 values, and the header names 3 columns; a value with a comma in it needs quotes",
      ],
      [TABLE, "id,question,question\na,b,c\n", 'line 1, column 3: the header has "question" twice'],
      [TABLE, "id,question,wanted\na,b,c\na,b,c\n", 'rows.csv line 3: id "a" is that of row 1 too'],
      [TABLE, "id,question,wanted\na b,b,c\n", 'rows.csv line 2: id "a b" may have'],
      [TABLE, "id,question,wanted\n", "inputs_file: rows.csv has no rows; each row is one input"],
      [TABLE, "", "has no header"],
      [changed("rows.csv", "../rows.csv"), ROWS, "is not inside the scenarios directory"],
      [changed("rows.csv", "rows.txt"), ROWS, "must end in .csv, .jsonl or .yaml"],
      [
        changed("inputs_file: rows.csv", "inputs:\n  - {question: q, wanted: w}\n  - {question: q}"),
        ROWS,
        '4:5 inputs[1].wanted: the row "2" has no value for wanted',
      ],
      [
        changed('"Answer: {{question}}"', "{{question}}"),
        ROWS,
        'a text that begins with {{ needs quotes, such as "{{question}}"',
      ],
      [
        changed('answer_contains: ["{{wanted}}"]', 'run: "echo {{wanted}}"'),
        ROWS,
        "{{wanted}} cannot stand in a command",
      ],
      [changed("task:", 'task:\n  setup: ["echo {{wanted}}"]'), ROWS, "{{wanted}} cannot stand in a command"],
      [
        changed("inputs_file", "inputs: [{question: q, wanted: w}]\ninputs_file"),
        ROWS,
        "`inputs` is given too; keep one",
      ],
    ];
    for (const [table, rows, message] of cases) expect(await messageOf(table, rows)).toContain(message);
  });

  test("what fits no row is told with the row", async () => {
    await using files = await folder(changed('"Answer: {{question}}"', '"{{question}}"'), "question,wanted\n,w\n");
    const failure = await failureOf(membersOf(await loadScenarioFile(files.path("tone.yaml"))));
    expect(failure.message).toContain("4:11 task.prompt");
    expect(failure.message).toContain('(with the input "1", whose question is empty)');
    await using long = await folder(TABLE, `question,wanted\n${"x".repeat(5_000_000)},w\n`);
    const tooLong = await failureOf(membersOf(await loadScenarioFile(long.path("tone.yaml"))));
    expect(tooLong.message).toContain(
      'values of more than 8388608 characters would be filled in; shorten them (with the input "1")',
    );
  });

  test("lines may end differently, names of columns may have spaces around them, and a null id is none", async () => {
    for (const rows of ["id, question ,wanted\r\na,q,w\nb,r,w\r\n", "id,question,wanted\na,q,w\r\nb,r,w\n"]) {
      await using files = await folder(TABLE, rows);
      const members = await membersOf(await loadScenarioFile(files.path("tone.yaml")));
      expect(members.map(({ definition }) => definition.input?.values)).toEqual([
        { id: "a", question: "q", wanted: "w" },
        { id: "b", question: "r", wanted: "w" },
      ]);
    }
    const inline = changed("inputs_file: rows.csv", "inputs: [{id: null, question: q, wanted: w}]");
    await using files = await folder(inline);
    const [member] = await membersOf(await loadScenarioFile(files.path("tone.yaml")));
    expect(member?.definition.input?.id).toBe("1");
  });

  test("rows of JSON are refused where they have too many columns or lie too deep", async () => {
    const jsonl = changed("rows.csv", "rows.jsonl");
    const wide = Array.from({ length: 20 }, (_, row) =>
      JSON.stringify(Object.fromEntries(Array.from({ length: 100 }, (_, column) => [`c${row}-${column}`, 0]))),
    ).join("\n");
    const deep = `{"question":"q","wanted":"w","more":${"[".repeat(1_000)}${"]".repeat(1_000)}}`;
    for (const [rows, said] of [
      [wide, "inputs_file: rows.jsonl has more than 1000 columns; keep those that are used"],
      [deep, "rows.jsonl line 1: has 1001 levels of nesting, at most 200 are read"],
      ['{"question":"q","wanted":"w"},', "; each line is one whole object, with no comma after it"],
    ] as const) {
      await using files = await scenarioFolder({ "tone.yaml": jsonl, "rows.jsonl": rows });
      expect((await failureOf(loadScenarioFile(files.path("tone.yaml")))).message).toContain(said);
    }
  });

  test("a column that nothing uses is a warning, as are templates without inputs", async () => {
    await using files = await folder(TABLE);
    expect((await loadScenarioFile(files.path("tone.yaml"))).warnings?.join()).toContain(
      "nothing uses the column language; write {{language}} where its value belongs, or group by it with --by",
    );
    await files.write("tone.yaml", changed("inputs_file: rows.csv\n", ""));
    const { warnings, definition } = await loadScenarioFile(files.path("tone.yaml"));
    expect(warnings?.join()).toContain("tone.yaml:3:3 task.prompt: holds {{question}}, which stays as it is");
    expect(definition.task.prompt).toBe("Answer: {{question}}");
    expect(Object.keys(definition)).not.toContain("inputs");
  });

  test("a table that is too long for YAML is sent to another form", async () => {
    const row = `  - {question: q, wanted: w, ${Array.from({ length: 30 }, (_, n) => `c${n}: v`).join(", ")}}\n`;
    expect(await messageOf(changed("inputs_file: rows.csv\n", `inputs:\n${row.repeat(1_000)}`))).toContain(
      "a long table goes into a .csv or .jsonl file",
    );
  });

  test("a table in YAML that is long is refused before it is read, and one of endless rows while it is", async () => {
    const inYaml = await scenarioFolder({
      "tone.yaml": changed("rows.csv", "rows.yaml"),
      "rows.yaml": `- {question: q, wanted: "${"w".repeat(1024 * 1024)}"}\n`,
    });
    await using files = inYaml;
    expect((await failureOf(loadScenarioFile(files.path("tone.yaml")))).message).toEndWith(
      "rows.yaml has 1048604 bytes; a table in YAML has 1048576 at most. Write it as .csv or .jsonl, which are read row by row",
    );
    expect(await messageOf(TABLE, `question,wanted\n${"q,w\n".repeat(2_001)}`)).toEndWith(
      "rows.csv line 2002: more than 2000 rows; split the table",
    );
  });

  test("one run is of one row", async () => {
    await using files = await folder(TABLE);
    const loaded = await loadScenarioFile(files.path("tone.yaml"));
    expect((await oneMember(loaded, "soon")).definition.input?.id).toBe("soon");
    expect((await failureOf(oneMember(loaded, "son"))).message).toContain('did you mean "soon"?');
    expect((await failureOf(oneMember(loaded, undefined))).message).toContain(
      "name one as `input` (late, soon), or run them all as a series",
    );
    expect((await failureOf(oneMember({ ...(await oneMember(loaded, "soon")) }, "soon"))).message).toContain(
      "has no inputs",
    );
    await using lone = await folder(TABLE, "id,question,wanted\na,b,c\n");
    const one = await loadScenarioFile(lone.path("tone.yaml"));
    expect((await failureOf(oneMember(one, undefined))).message).toContain("has 1 input: name one as `input` (a)");
  });
});
