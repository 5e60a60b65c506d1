import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { abeval, PROGRAM } from "../abeval.ts";
import { temporaryDirectory } from "../temporary.ts";
import { COIN } from "./coin.ts";

const TABLE = [
  "scenario,trial,arm,passed",
  ...Array.from({ length: 9 }, (_, index) => `task-${index},1,new,true\ntask-${index},1,old,false`),
].join("\n");

const FILES = {
  "coin.yaml": COIN,
  "dice.yaml": COIN.replace("name: coin", "name: dice"),
  "rows.yaml": COIN.replace("name: coin", "name: rows")
    .replace("Say hello.", '"Say hello to {{whom}}."')
    .concat("inputs: [{id: a, whom: A}, {id: b, whom: B}]\n"),
  "results.csv": TABLE,
};

/** A directory in which a person types `abeval run <args>`; `shell` may send a stream elsewhere: `"$@" 2>file`. */
function openDirectory() {
  const { path, ...directory } = temporaryDirectory();
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(path, name), text);
  const run = async (args: string, shell = '"$@"', term = "xterm") => {
    const shown: Uint8Array[] = [];
    const closed = Promise.withResolvers<void>();
    const child = Bun.spawn(["sh", "-c", shell, "sh", ...PROGRAM, "run", ...args.split(" ")], {
      cwd: path,
      env: { PATH: process.env["PATH"] ?? "", HOME: "/dev/null/home", TERM: term },
      terminal: { cols: 120, data: (_, bytes) => void shown.push(bytes), exit: () => closed.resolve() },
    });
    const status = await child.exited;
    await closed.promise;
    return { status, shown: Buffer.concat(shown).toString().replaceAll("\r\n", "\n") };
  };
  const text = (name: string) => readFileSync(join(path, name), "utf8");
  return { path, run, text, [Symbol.dispose]: () => directory[Symbol.dispose]() };
}

const ONE = "coin.yaml --sandbox none";
const SERIES = `${ONE} --trials 2`;

test.each([
  SERIES,
  `${SERIES} --aa tries`,
  "coin.yaml dice.yaml --sandbox none",
  "rows.yaml --sandbox none",
  "--results results.csv",
])("a terminal gets no JSON of a series, whose summary comes last: run %s", async (args) => {
  using directory = openDirectory();
  const { status, shown } = await directory.run(args);
  expect(status, shown).toBe(0);
  expect(shown).not.toContain("{");
  expect(shown.match(/^ {2}so {6}/gm)).toHaveLength(1);
  // The answer comes last, and in it what to do next.
  expect(shown.trimEnd().slice(shown.lastIndexOf("  next ")).split("\n").length).toBeLessThanOrEqual(3);
});

test("--json prints the series on a terminal too, before its summary", async () => {
  using directory = openDirectory();
  const { shown } = await directory.run(`${SERIES} --json`, '"$@" 2>summary');
  expect(JSON.parse(shown)).toMatchObject({ counts: { trials: 2 } });
  expect(directory.text("summary")).toContain("  next    ");
});

test("--out holds the JSON of a series that a terminal does not get", async () => {
  using directory = openDirectory();
  const { shown } = await directory.run(`${SERIES} --out series.json`);
  expect(shown).not.toContain("{");
  expect(JSON.parse(directory.text("series.json"))).toMatchObject({ counts: { trials: 2 } });
});

test.each(['"$@" --quiet', '"$@" 2>summary'])("a terminal that gets no stderr gets the summary: %s", async (shell) => {
  using directory = openDirectory();
  const { shown } = await directory.run(SERIES, shell);
  expect(shown).not.toContain("{");
  expect(shown).toContain("  next    ");
});

test("a pipe gets the JSON of a series, with --json or without", async () => {
  using directory = openDirectory();
  const args = ["run", "--results", "results.csv", "--quiet"];
  const [plain, asked] = await Promise.all(
    [args, [...args, "--json"]].map((words) => abeval(words, { cwd: directory.path })),
  );
  expect(JSON.parse(plain?.stdout ?? "")).toMatchObject({ counts: { trials: 9 } });
  expect(asked).toEqual(plain);
});

test("a single run prints its verdict on a terminal too, before its summary", async () => {
  using directory = openDirectory();
  const { shown } = await directory.run(ONE);
  expect(shown.indexOf('\n  "outcome": ')).toBeGreaterThan(0);
  expect(shown.lastIndexOf("\n}\n")).toBeLessThan(shown.lastIndexOf("session-"));
  const { shown: verdict } = await directory.run(`${ONE} --json`, '"$@" 2>summary');
  expect(JSON.parse(verdict)).toHaveProperty("outcome");
});

test("a dumb terminal gets one line after the other: no colour and no cursor is moved", async () => {
  using directory = openDirectory();
  for (const args of [ONE, SERIES, "--check coin.yaml"]) {
    const { status, shown } = await directory.run(args, '"$@"', "dumb");
    expect(status, shown).toBe(0);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they move a cursor
    expect(shown).not.toMatch(/[\x00-\x09\x0b-\x1f]/);
  }
});

test("colours are forced where nobody sees them, and --no-color is stronger", async () => {
  using directory = openDirectory();
  const forced = (flags: readonly string[], FORCE_COLOR: string) =>
    abeval(["run", ...SERIES.split(" "), ...flags], { cwd: directory.path, env: { FORCE_COLOR } });
  expect((await forced([], "1")).stderr).toContain("\x1b[");
  for (const [flags, value] of [
    [["--no-color"], "1"],
    [[], "0"],
  ] as const)
    expect((await forced(flags, value)).stderr).not.toContain("\x1b[");
});
