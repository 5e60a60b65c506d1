import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readLog } from "../src/arms/imported/read-log.ts";
import { Problems } from "../src/comparison/scenario/authored/problems.ts";
import { containerOf } from "../src/comparison/scenario/draft/container-task.ts";
import { readDockerfile } from "../src/comparison/scenario/draft/dockerfile.ts";
import { promptOf } from "../src/comparison/scenario/draft/from-commit.ts";
import { testCommand } from "../src/comparison/scenario/draft/test-files.ts";
import { offlineScript } from "../src/comparison/scenario/draft/test-script.ts";
import { type Draft, draftScenario } from "../src/comparison/scenario/draft-scenario.ts";
import { filling, templatesOf } from "../src/comparison/scenario/inputs/templates.ts";
import { skillRead, skillsAmong } from "../src/domain/skill.ts";
import { RunReader } from "../src/domain/word-runs.ts";
import type { Family, Reader } from "./hostile-readers.ts";
import { temporaryDirectory } from "./temporary.ts";

const DRAFT: Draft = {
  name: "fix",
  title: "Fix",
  origin: "a",
  form: "from-commit",
  prompt: "",
  commit: "b",
  setup: [],
  checks: [],
  reference: null,
  protected: [],
  named: [],
  questions: [],
  notes: [],
  material: [],
};
const REPERTOIRE = { top: new Set<string>(), manifest: null, locks: {} };
const CONTAINER = {
  dockerfile: "FROM debian\nWORKDIR /app/src\n",
  context: [],
  tests: [],
  called: [],
  python: [],
};
const RUNS = new RunReader();
const SAID = '{"sessionId":"s","type":"assistant","message":{"id":"m","content":"a"}}';

/** Readers of what other tools and other runs left, and of what belongs to one arm. */
export const IMPORT_READERS: readonly Reader[] = [
  {
    reads: "a commit's message",
    read: (message) => draftScenario({ ...DRAFT, prompt: promptOf(message, "fix") }),
    families: ["see #", ["fixes", "#"], ["fixes ", ":", "\n"]],
  },
  {
    reads: "a Dockerfile",
    n: 16_000,
    read: (text) => attempt(readDockerfile, text),
    families: [
      ["FROM a\nRUN ", "a=b "],
      ["FROM a\nRUN ", "--a "],
      ["FROM a\nRUN --", "-"],
      ["FROM a\nRUN ", "'\""],
      ["FROM a\nRUN ", "&"],
      ["FROM a\nRUN ", "a && "],
      ["FROM a\nRUN apt-get ", "-a "],
      ["FROM a\nRUN apt-get install ", "a=1 "],
      ["FROM a\nRUN pip install ", "-r a "],
      ["FROM a\nRUN curl ", "astral.sh/uv"],
      ["FROM a\nRUN curl ", "curl | "],
      ["FROM a\nRUN curl | ", "sudo "],
      ["FROM a\nRUN curl", " -C "],
      ["FROM a\nRUN ", "if a; "],
      ["FROM a\nRUN echo ", "> "],
      ["FROM a\n", "RUN curl astral.sh/uv | sh\n"],
      ["FROM a\n", "RUN a \\\n"],
      ["FROM a\nWORKDIR ", "/", "a\nCOPY a b\n"],
      ["FROM a\n", "WORKDIR a\n"],
      ["FROM a\nCOPY ", "--a "],
      ["FROM a\nCOPY a ", "./", "b"],
      ["FROM a\nCOPY ", "a "],
      ["FROM a\nENV ", "TZ="],
      ["FROM a\nENV ", "TZ "],
      ["FROM a\nENV A=1\nENV B=", "$A"],
      ["FROM a\nENV A=", "'\"\\"],
      ["FROM a\nENV A=", '"\\"'],
      ["FROM a\nENV ", "A=\"\\'"],
      ["FROM a\nCMD [", " ", "x"],
    ],
  },
  {
    reads: "a script of tests",
    n: 16_000,
    read: (text) => attempt(offlineScript, text),
    families: [
      ...["&& ", "curl ", "uv run ", "pip install a\n", ". ~/.venv/bin/activate\n"],
      ...([
        ["curl ", "|"],
        ["source ", ".local/bin/env"],
        ["source ", "/root"],
        ["uv run ", "-w a "],
        ["uv run ", "-a=b "],
        ["uv add ", "a "],
        ["pip install a", "||"],
        ["pip install ", "2> "],
      ] satisfies Family[]),
    ],
  },
  {
    reads: "a task's files for its directory",
    n: 16_000,
    read: (text) => attempt(() => containerOf({ ...CONTAINER, texts: [text] }), ""),
    families: ["/app", "/app/", "/app/../", "cd /", ["cd ", "/a"]],
  },
  {
    reads: "a template",
    n: 16_000,
    read: (prompt) => [
      filling({ task: { prompt } })({ a: "{{a}}" }, new Problems()),
      attempt(() => templatesOf({ task: { prompt } }, ["a"]).faults.length, ""),
    ],
    families: ["{", "{{", "{{a", "{{a}}", "{{{{", ["{{", " "], ["{{", "a", "}"]],
  },
  {
    reads: "an arm's own files",
    n: 16_000,
    read: (text) => text.split("\n").map((line) => [...RUNS.line(line)].length),
    families: ["a-", "a1", "a_1-", "a b c ", "\\u0061", "\\", ["a", "-"], "\u0301", "é1 "],
  },
  {
    reads: "a call that may read a skill",
    n: 16_000,
    read: (text) => [skillRead("run_command", `${text} a/SKILL.md`), skillRead("read_file", text), skillsAmong([text])],
    families: [">", "> ", "/SKILL.md", "a/SKILL.md", " a", "a/", "||", "ls ", [">", "a"], ["", "a", "/SKILL.md"]],
  },
  {
    reads: "a log of a run that was made elsewhere",
    n: 16_000,
    read: async (text) => {
      using place = temporaryDirectory();
      writeFileSync(join(place.path, "log"), text);
      return await readLog(join(place.path, "log")).catch(String);
    },
    families: [
      ...['{"sessionId":"s"}\n', `${SAID}\n`, '{"type":"response_item"}\n', "{\n", "[\n", '{"a":'],
      ...([
        [`${SAID}\n{"sessionId":"s","a":"`, "\\u0000", '"}'],
        [
          '{"sessionId":"s","type":"assistant","message":{"id":"m","content":[',
          '{"type":"text","text":"a"},',
          "{}]}}\n",
        ],
        ['{"schema_version":"ATIF-v1.6","steps":[', '{"source":"agent","message":"a"},', "{}]}"],
        ['{\n"schema_version":"ATIF-v1.6",\n', '"a":1,\n', '"steps":[]}'],
        ['{"schema_version":"ATIF-v', "1", '"}'],
      ] satisfies Family[]),
    ],
  },
  {
    reads: "a commit's tests",
    read: (text) => ["test_a.py", "a.test.ts"].map((path) => testCommand(path, `unittest ${text}`, REPERTOIRE)),
    families: ["\n\t", "test", "'bun:test"],
  },
];

/** What it gives, or why it gives nothing. */
export function attempt(read: (text: string) => unknown, text: string): unknown {
  try {
    return read(text);
  } catch (error) {
    return error;
  }
}
