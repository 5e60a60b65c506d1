import { describe, expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { prepareCall, runCall } from "../../src/arms/tool/invoke.ts";
import type { ToolContext, ToolOutput } from "../../src/arms/tool/tool.ts";
import { toolbox } from "../../src/arms/tool/toolbox.ts";
import type { Workspace } from "../../src/arms/workspace/workspace.ts";
import { Mistake } from "../../src/domain/failure.ts";
import { TOOL_FACTS, TOOL_NAMES, type ToolFacts, type ToolName } from "../../src/domain/tool.ts";
import { Directory, never, openFixture } from "../workspace/harness.ts";

const TOOLS = toolbox(TOOL_NAMES);

/** A tool call as the arm loop makes it; a mistake is its text, as the model reads it. */
async function call(
  workspace: Workspace,
  name: string,
  input: unknown,
  limits: Partial<Pick<ToolContext, "timeout_ms" | "signal">> = {},
): Promise<ToolOutput> {
  const context = {
    workspace,
    signal: never,
    timeout_ms: 5_000,
    max_output_bytes: 1_000,
    network: "none",
    ...limits,
  } as const;
  try {
    return await runCall(prepareCall(TOOLS, { id: "1", name, input }), context);
  } catch (error) {
    if (error instanceof Mistake) return { text: error.message, ok: false, exit_code: null, bytes: 0 };
    throw error;
  }
}

async function inFixture<T>(
  files: Readonly<Record<string, string>>,
  use: (workspace: Workspace) => Promise<T>,
): Promise<T> {
  await using pristine = openFixture(files);
  await using workspace = pristine.open();
  return await use(workspace);
}

const text = async (files: Readonly<Record<string, string>>, name: string, input: unknown) =>
  (await inFixture(files, (workspace) => call(workspace, name, input))).text;

test("a toolbox holds the tools an arm names, in its order", () => {
  expect(toolbox(["run_command", "read_file"]).map((tool) => tool.name)).toEqual(["run_command", "read_file"]);
  expect(TOOLS.map((tool) => tool.name)).toEqual([...TOOL_NAMES]);
});

test.each(TOOLS)(
  "$name says of itself what scenarios are checked by, and takes no call without its subject",
  (tool) => {
    const { name, effect, subject, input } = tool;
    expect({ effect, subject } as ToolFacts).toEqual(TOOL_FACTS[name as ToolName]);
    expect(input["required"] ?? []).toEqual(subject === null ? expect.anything() : expect.arrayContaining([subject]));
  },
);

describe("read_file", () => {
  const files = { "a.txt": "one\ntwo\r\nthree", "empty.txt": "" };

  test.each([
    [{ path: "a.txt" }, "one\ntwo\r\nthree"],
    [{ path: "a.txt", start_line: 2 }, "two\r\nthree"],
    [{ path: "a.txt", end_line: 2 }, "one\ntwo\r\n"],
    [{ path: "a.txt", start_line: 2, end_line: 2 }, "two\r\n"],
    [{ path: "a.txt", start_line: 3, end_line: 99 }, "three"],
    [{ path: "a.txt", start_line: 4 }, "a.txt has only 3 lines."],
    [{ path: "a.txt", start_line: 3, end_line: 2 }, "end_line (2) lies before start_line (3)."],
    [{ path: "empty.txt" }, "[empty]"],
    [{ path: "b.txt" }, "b.txt does not exist."],
  ])("%p gives %p", async (input, expected) => {
    expect(await text(files, "read_file", input)).toBe(expected);
  });

  test("shows beginning and end of a large file and counts the whole", async () => {
    const whole = Array.from({ length: 1_000 }, (_, index) => `line ${index}`).join("\n");
    const output = await inFixture({ "a.txt": whole }, (workspace) => call(workspace, "read_file", { path: "a.txt" }));
    expect(output.bytes).toBe(whole.length);
    expect(output.text).toStartWith("line 0\n");
    expect(output.text).toEndWith("line 999");
    expect(output.text).toContain(`[... ${whole.length - 1_000} characters left out ...]`);
  });
});

describe("edit_file", () => {
  const files = { "a.ts": "if (a) {\n\treturn 1;\n}\nif (b) {\n\treturn 1;\n}\n" };

  test("replaces a passage that occurs once, and takes it literally", async () => {
    await inFixture({ "a.txt": "a $1 b\n" }, async (workspace) => {
      const { text, ok } = await call(workspace, "edit_file", { path: "a.txt", old: "$1 b", new: "$& $$" });
      expect({ text, ok, now: await workspace.readText("a.txt") }).toEqual({
        text: "Replaced the passage at line 1 of a.txt.",
        ok: true,
        now: "a $& $$\n",
      });
    });
  });

  test.each([
    [
      { old: "return 1;", new: "x" },
      "`old` occurs 2 times in a.ts (lines 2, 5). Quote more of the lines around the one you mean.",
    ],
    [{ old: "return 2;", new: "x" }, "`old` does not occur in a.ts. Read the file again and quote it exactly."],
    [
      { old: "if (b) {\n  return 1;\n}", new: "x" },
      "`old` does not occur in a.ts. Only the whitespace differs from the text at line 4: quote its spaces, tabs and line ends exactly.",
    ],
    [{ old: "a", new: "a" }, "`old` and `new` are the same text; nothing would change."],
    [{ old: "", new: "a" }, "Wrong input for edit_file:\n- old: must not be empty"],
  ])("%p is refused and changes nothing", async (edit, message) => {
    await inFixture(files, async (workspace) => {
      expect((await call(workspace, "edit_file", { path: "a.ts", ...edit })).text).toBe(message);
      expect((await workspace.changes()).files).toEqual([]);
    });
  });

  // Each would take a search over strings minutes.
  test.each([
    ["a letter that fills it", "a".repeat(8_000_000), "a", "`old` occurs more than 10 times in a.txt (lines 1, 1,"],
    [
      "a passage that nearly fits everywhere",
      "ab".repeat(4_000_000),
      `${"ab".repeat(300_000)}ba${"ab".repeat(300_000)}`,
      "`old` does not occur in a.txt. Read the file again and quote it exactly.",
    ],
    ["many empty lines", "\n".repeat(400_000), `${"\n".repeat(200_000)}x`, "`old` does not occur in a.txt. Read"],
  ])("of a large file, answers at once for %s", async (_, content, old, message) => {
    expect(await text({ "a.txt": content }, "edit_file", { path: "a.txt", old, new: "x" })).toStartWith(message);
  });

  test("replaces what stands among letters of several bytes", async () => {
    await inFixture({ "a.txt": "größe: 1\nnaïve: 2\n" }, async (workspace) => {
      const output = await call(workspace, "edit_file", { path: "a.txt", old: "naïve: 2", new: "größer: 3" });
      expect(output.text).toBe("Replaced the passage at line 2 of a.txt.");
      expect(await workspace.readText("a.txt")).toBe("größe: 1\ngrößer: 3\n");
    });
  });

  test("counts overlapping occurrences", async () => {
    expect(await text({ "a.txt": "aaa" }, "edit_file", { path: "a.txt", old: "aa", new: "b" })).toContain(
      "occurs 2 times",
    );
  });
});

test("write_file makes directories and tells what it wrote", async () => {
  await inFixture({}, async (workspace) => {
    const output = await call(workspace, "write_file", { path: "a/b/c.txt", content: "größe\n" });
    expect(output).toEqual({ text: "Wrote 8 bytes to a/b/c.txt.", ok: true, exit_code: null, bytes: 27 });
    expect(await workspace.readText("a/b/c.txt")).toBe("größe\n");
  });
});

describe("list_files", () => {
  const files = { "src/a.ts": "", "src/deep/b.ts": "", "c.md": "", ".env.example": "", "node_modules/x/i.js": "" };

  test.each([
    [{}, ".env.example\nc.md\nsrc/a.ts\nsrc/deep/b.ts"],
    [{ pattern: "src/**/*.ts" }, "src/a.ts\nsrc/deep/b.ts"],
    [{ pattern: "./src/*" }, "src/a.ts"],
    [{ pattern: "*.py" }, "[no file matches *.py]"],
    [{ pattern: "!(a)" }, "The glob uses a pattern that is not supported; there are *, **, ?, [a-z] and {a,b}."],
    [{ pattern: "a".repeat(501) }, "The glob is longer than 500 characters."],
  ])("%p", async (input, expected) => {
    expect(await text(files, "list_files", input)).toBe(expected);
  });

  test("answers a glob of stars at once, and so does a search in one", async () => {
    const pattern = `${"*a".repeat(14)}*b`;
    const one = { ["a".repeat(60)]: "x\n" };
    expect(await text(one, "list_files", { pattern })).toBe(`[no file matches ${pattern}]`);
    expect(await text(one, "search_files", { pattern: "x", path: pattern })).toBe("[no line matches x]");
  });

  test("ends a glob that takes too long on many files, and the event loop runs meanwhile", async () => {
    const pattern = `*${"a".repeat(110)}{${[..."bcdefghijklmnopqrstuvwxyz"].join(",")}}*`;
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`${"a".repeat(230)}${index}`, ""]));
    let [turns, listing] = [0, true];
    const others = async () => {
      for (; listing; turns += 1) await new Promise((resolve) => setImmediate(resolve));
    };
    const counting = others();
    const words = "The glob takes too long on these files; write a plainer one.";
    expect(await text(many, "list_files", { pattern })).toBe(words);
    expect(await text(many, "search_files", { pattern: "x", path: pattern })).toBe(words);
    listing = false;
    await counting;
    expect(turns).toBeGreaterThan(100);
  });

  test("shows a thousand and says how many more there are", async () => {
    const many = Object.fromEntries(Array.from({ length: 1_005 }, (_, index) => [`${index}.txt`, ""]));
    const lines = (await text(many, "list_files", {})).split("\n");
    expect([lines.length, lines.at(-1)]).toEqual([1_001, "[5 more files not shown; use a narrower pattern]"]);
  });

  test("shows fewer where their paths are very long", async () => {
    const deep = Array.from({ length: 10 }, () => "d".repeat(200)).join("/");
    const many = Object.fromEntries(Array.from({ length: 110 }, (_, index) => [`${deep}/${100 + index}`, ""]));
    const lines = (await text(many, "list_files", {})).split("\n");
    expect([lines.length, lines.at(-1)]).toEqual([100, "[11 more files not shown; use a narrower pattern]"]);
  });
});

describe("search_files", () => {
  test("a path of slashes without end is refused at once", async () => {
    const path = `a${"/".repeat(200_000)}b`;
    expect(await text({}, "search_files", { pattern: "x", path })).toBe("The glob is longer than 500 characters.");
  });

  const files = {
    "src/a.ts": "const x = 1;\r\nlet y = 22;\n",
    "src/b.ts": "x\n",
    "c.md": "const\n",
    "d.bin": "const\0",
  };

  test("searches a slow pattern in short steps, and the event loop runs between them", async () => {
    const random = Array.from({ length: 200_000 }, (_, index) => ((index * 7919) % 13 < 6 ? "a" : "b")).join("");
    let [turns, searching] = [0, true];
    const counting = (async () => {
      for (; searching; turns += 1) await new Promise((resolve) => setImmediate(resolve));
    })();
    const given = { "long.txt": random, "lines.txt": random.replace(/.{500}/g, "$&\n") };
    expect(await text(given, "search_files", { pattern: "[ab]*a[ab]{900}[^ab]" })).toMatch(
      /^\[no line matches .*\]\n\[of lines longer than 11\d\d characters only the beginning was searched\]$/,
    );
    searching = false;
    await counting;
    expect(turns).toBeGreaterThan(20);
  });

  test.each([
    ["long", "a|".repeat(300)],
    ["full of repetitions", "(abcdefgh){900}{2}".repeat(3)],
    ["large when it is written out", "[a-z]{999}(x|y|z){10}".repeat(2)],
  ])("a pattern that is %s is the model's mistake", async (_, pattern) => {
    const words = "pattern: it is too large, or repeats too much; write a plainer one.";
    expect(await text({ "a.txt": "a" }, "search_files", { pattern })).toBe(words);
  });

  test("ends in the middle of a file when its time is over", async () => {
    const lines = `${"ab".repeat(400)}\n`.repeat(2_000);
    const stopped = new Error("the time is over");
    const searching = inFixture({ "a.txt": lines }, (workspace) => {
      const input = { pattern: "[ab]*a[ab]{900}[^ab]" };
      const signal = new AbortController();
      setImmediate(() => signal.abort(stopped));
      return call(workspace, "search_files", input, { signal: signal.signal });
    });
    await expect(searching).rejects.toBe(stopped);
  });

  test.each([
    [{ pattern: "const|let" }, "c.md:1:const\nsrc/a.ts:1:const x = 1;\nsrc/a.ts:2:let y = 22;"],
    [{ pattern: "= \\d+;\\r?$", path: "src" }, "src/a.ts:1:const x = 1;\nsrc/a.ts:2:let y = 22;"],
    [{ pattern: "^x$" }, "src/b.ts:1:x"],
    [{ pattern: "\\Ax\\z" }, "src/b.ts:1:x"],
    [{ pattern: "const", path: "*.md" }, "c.md:1:const"],
    [{ pattern: "const", path: "./src/" }, "src/a.ts:1:const x = 1;"],
    [{ pattern: "const", path: "src/a.ts" }, "src/a.ts:1:const x = 1;"],
    [{ pattern: "nothing" }, "[no line matches nothing]"],
    [{ pattern: "const x = 1;\\r\\nlet" }, "[no line matches const x = 1;\\r\\nlet]"],
  ])("%p", async (input, expected) => {
    expect(await text(files, "search_files", input)).toBe(expected);
  });

  test("an invalid pattern is reported, and a hostile one takes no long time", async () => {
    expect(await text({}, "search_files", { pattern: "(" })).toStartWith("pattern: ");
    await text({ "a.txt": `${"a".repeat(50_000)}b\n` }, "search_files", { pattern: "(a+)+$" });
  });

  test("the event loop runs while a file of many lines is searched", async () => {
    let turns = 0;
    let over = false;
    const others = (async () => {
      for (; !over; turns += 1) await new Promise((resolve) => setImmediate(resolve));
    })();
    const lines = await text({ "a.txt": `${"\n".repeat(100_000)}end\n` }, "search_files", { pattern: "^end$" });
    over = true;
    await others;
    expect(lines).toBe("a.txt:100001:end");
    // One for some hundred lines.
    expect(turns).toBeGreaterThan(100);
  });

  test("cuts long lines and many lines", async () => {
    const lines = (await text({ "a.txt": `${"x".repeat(999)}\n`.repeat(300) }, "search_files", { pattern: "x" })).split(
      "\n",
    );
    expect(lines.length).toBe(201);
    expect(lines[0]).toBe(`a.txt:1:${"x".repeat(400)}...`);
    expect(lines[200]).toBe("[more than 200 lines match; narrow the pattern or the path]");
  });

  test("never reads through a link that leads out", async () => {
    using outside = new Directory({ secret: "needle\n" });
    await inFixture({ "a.txt": "a\n" }, async (workspace) => {
      await workspace.readText("a.txt");
      symlinkSync(join(outside.path, "secret"), join(workspace.location ?? "", "link"));
      expect((await call(workspace, "search_files", { pattern: "needle" })).text).toBe("[no line matches needle]");
    });
  });
});

describe("run_command", () => {
  test("refuses a command that is too long for a process", async () => {
    expect(await text({}, "run_command", { command: "x".repeat(120_001) })).toBe(
      "Wrong input for run_command:\n- command: expected at most 120000 characters, got 120001",
    );
  });

  test.each([
    ["echo hello", { text: "hello\n[exit code 0]", ok: true, exit_code: 0, bytes: 6 }],
    ["printf hello; exit 3", { text: "hello\n[exit code 3]", ok: false, exit_code: 3, bytes: 5 }],
    ["true", { text: "[exit code 0]", ok: true, exit_code: 0, bytes: 0 }],
  ])("%s", async (command, expected) => {
    expect(await inFixture({}, (workspace) => call(workspace, "run_command", { command }))).toEqual(expected);
  });

  test("may shorten its timeout but not lengthen it", async () => {
    await inFixture({}, async (workspace) => {
      const less = await call(workspace, "run_command", { command: "echo a; sleep 600", timeout_s: 3 });
      const more = await call(workspace, "run_command", { command: "sleep 600", timeout_s: 600 }, { timeout_ms: 100 });
      expect([less, more]).toEqual([
        { text: "a\n[timed out after 3 s]", ok: false, exit_code: null, bytes: 2 },
        { text: "[timed out after 0.1 s]", ok: false, exit_code: null, bytes: 0 },
      ]);
    });
  });
});
