import { textsIn } from "../src/arms/agent/log/agent-calls.ts";
import { callText, DecisionLog } from "../src/arms/arm/decision-log.ts";
import { movedPaths } from "../src/arms/imported/told-steps.ts";
import { checkModel } from "../src/arms/model/check-model.ts";
import { Credentials } from "../src/arms/model/credentials.ts";
import { providerFailure } from "../src/arms/model/provider/provider-failure.ts";
import { redactKeyShapes, Secret, secretRedactor } from "../src/arms/model/redaction.ts";
import { canonicalCall } from "../src/arms/recipe/canonical-call.ts";
import { RECIPES } from "../src/arms/recipe/recipes.ts";
import { normaliser } from "../src/arms/recording/matching/normalise.ts";
import { readFault } from "../src/arms/sandbox/fault.ts";
import { HARMLESS_EDITS } from "../src/comparison/audit/harmless-edits.ts";
import { cannotRun } from "../src/comparison/evidence/could-not-run.ts";
import { findAnswers } from "../src/comparison/judge/answer/find-answers.ts";
import { cleanLine } from "../src/comparison/judge/view/clean-text.ts";
import { identityRedactor, withoutAgentPaths } from "../src/comparison/judge/view/identity-redactor.ts";
import { suspectLines } from "../src/comparison/judge/view/injection-scan.ts";
import { readHunks } from "../src/comparison/judge/view/shown-hunks.ts";
import { withoutWords } from "../src/comparison/judge/view/without-words.ts";
import { WordMask } from "../src/comparison/judge/view/word-mask.ts";
import { readPatch } from "../src/domain/patch.ts";
import { plainJson, plainText } from "../src/domain/plain-text.ts";
import { failureLines } from "../src/domain/telling-lines.ts";
import { html } from "../src/doors/report/html.ts";
import { plain } from "../src/doors/report/markdown.ts";
import { systemClock } from "../src/runtime/clock.ts";
import { attempt, IMPORT_READERS } from "./hostile-imports.ts";
import { buildArm, change } from "./judge/build-case.ts";
import { spoken } from "./judge/mock-judge.ts";

/** What is repeated, perhaps with something before and behind it. */
export type Family = string | readonly [before: string, repeated: string, behind?: string];

export interface Reader {
  readonly reads: string;
  /** Characters, 4,000 unless given. */
  readonly n?: number;
  readonly read: (text: string) => unknown;
  /** Its own worst; every reader also gets the usual ones. */
  readonly families: readonly Family[];
}

/** What makes a pattern begin again and again, or go back. */
export const USUAL: readonly Family[] = [" ", "\n", "a", "0", "-", ".", '"', "\\", "<a", "a.", ["", "a", "\n"]];

const CREDENTIALS = new Credentials({ HOUSE_BASE_URL: "http://house.example", HOUSE_API_KEY: "canary-key-5d1e7f" });
const PROVIDER = { endpoint: checkModel("house/x", CREDENTIALS), redact: (text: string) => CREDENTIALS.redact(text) };
const ONCE = { attempts: 1, timeout_ms: 1_000 };

const NO_RECIPE = { tools: {} };
const SECTION = { name: "diff", title: "", omissions: [], core_cut: false } as const;
const VIEW = { truncated: false, truncated_core: false, redactions: 0, identity_in_changes: false };

/** Every reader of what somebody else wrote, with its worst texts. */
export const READERS: readonly Reader[] = [
  {
    reads: "texts in a broken input",
    read: textsIn,
    families: [["", '\\"\\"\\"', "\\"], '"a" ', ['""', " "], ['"', "\\\\"], '"":'],
  },
  {
    reads: "what looks like a key",
    n: 16_000,
    read: redactKeyShapes,
    families: [
      ...[
        "sk-",
        "sk-a-",
        "Bearer ",
        "Basic a",
        "AIza",
        "ghp_",
        "ghp_a ",
        "github_pat_",
        "AKIA",
        "AKIA0",
        "xoxb-",
        "xoxb-a ",
      ],
      ...([
        ["Basic", " "],
        ["Bearer ", "a"],
        ["sk-", "a_"],
        ["ghp_", "a"],
        ["AKIA", "A"],
        ["xoxb-", "a-"],
      ] satisfies Family[]),
    ],
  },
  {
    reads: "loaded keys",
    n: 100_000,
    read: secretRedactor([new Secret(`sk-ant-${"ab01".repeat(20)}`)]),
    families: ["sk-ant-", "ab01", ["sk-ant-", "ab01"], "6162"],
  },
  {
    reads: "a provider's refusal",
    n: 16_000,
    read: (words) => providerFailure(PROVIDER, { failed: { kind: "status", status: 400, words }, ...ONCE }),
    families: ["sk-", "<", "<script", ["<script>", "</"], "Bearer ", "temperatur"],
  },
  {
    reads: "where an agent worked elsewhere",
    n: 16_000,
    read: (text) => [movedPaths(text, "/workspace")(text), movedPaths("/a/b", "/workspace")(text)],
    families: [["", "/", "x"], ["/a", "/", "x"], "/a/b", "/a/b/a"],
  },
  {
    reads: "an agent's call",
    read: (text) =>
      [{ command: text }, { path: text, content: text }, text].map((one) => canonicalCall(NO_RECIPE, {}, "x", one)),
    families: ["../", "a/", "*** Update File: ", "+++ b/\n"],
  },
  {
    reads: "what an agent's tools print",
    read: (text) => RECIPES.map(({ unwrap }) => unwrap("bash", text)),
    families: [
      "<error>",
      "</error>",
      "<system-reminder>",
      "Output: ",
      "Exit code: 1\n",
      "[Command exited with code ",
      "[",
    ],
  },
  {
    reads: "the end of a call",
    read: (text) =>
      new DecisionLog(systemClock, () => undefined).call({
        ...{ told: callText({ name: "x", input: { command: text } }), text },
        ...{ ok: false, exit_code: null, bytes: 0 },
      }),
    families: ["[\n"],
  },
  {
    reads: "a text for the judge",
    read: cleanLine,
    families: ["\u001b[", "\u001b]", ["\u001b]", "a"], ["\u009b", "0", "\n"], "\u200b", "\u200ba", "\r", ["⟨U+", "0"]],
  },
  {
    reads: "names of models",
    read: identityRedactor(["anthropic/claude-opus-4", "gpt-5 turbo", "foo bar", "a"]),
    families: [
      "gpt-1.",
      ["gpt1", "."],
      ["gpt", "1", "_"],
      "I am ",
      "foo ",
      "foo bar ",
      "⟨1",
      "⟨U+200B⟩",
      "\u0301",
      " \u200b",
    ],
  },
  {
    reads: "words to the judge",
    read: (text) =>
      suspectLines({ ...VIEW, sections: [{ ...SECTION, lines: [{ text, authored: true, item: null }] }] }),
    families: [
      "judge ",
      "ignore previous ",
      "give top ",
      "choose this ",
      "<|a",
      ["'candidates'", " "],
      ["", "\t", "judge"],
    ],
  },
  ...["a.ts", "a.py", "a.sql", "a.html"].map((path) => ({
    reads: `words in ${path}`,
    read: (text: string) => text.split("\n").map(new WordMask("").masker(path)),
    families: ["let a ", "a\\", "/*", "//", "<!--", '"""', ["a ", " "], ["a", "\t", "("], "'a", "`"] satisfies Family[],
  })),
  {
    reads: "paths in a prompt",
    read: (text) => withoutWords(buildArm("a", { changes: change("run();") }), text),
    families: ["a-", ["", "a", "/"], "--a"],
  },
  {
    reads: "hunks of a patch",
    read: readHunks,
    families: [
      "--- a\n+++ b\n@@ -1 +1 @@\n",
      "@@ -1 +1 @@\n",
      ["--- a\n+++ b\n@@ -1,99999 +1,99999 @@\n", "+\n"],
      ["--- ", '"\\'],
    ],
  },
  {
    reads: "a reference fix",
    read: (text) => attempt(readPatch, text),
    families: [
      "diff --git a/x b/x\n",
      "--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n",
      "Index: ",
      "--- a\t",
      "===\n",
      ["diff --git ", "a "],
    ],
  },
  {
    reads: "a judge's answer",
    read: (text) => findAnswers(spoken(text)),
    families: [
      "{",
      "}",
      "{,}",
      '{"a":1,}',
      ["{", ",", "}"],
      ["{", '"a":[],', "}"],
      ["{", '"\\'],
      ["", "{", "}"],
      ["", "{}", "}"],
    ],
  },
  { reads: "paths of an agent", read: withoutAgentPaths, families: ["~/.", "~/.config", "/home/agent/."] },
  {
    reads: "names for a harmless edit",
    read: (text) =>
      HARMLESS_EDITS.map(({ apply }) =>
        apply({ files: [{ path: "a.ts", text, before: "" }], final_answer: "", patch_chars: 1 }),
      ),
    families: [["", " let abc =\n", "abc: 1"], [" let abc =\n", "{ "], [" let a", " "], " const b\n"],
  },
  {
    reads: "what differs by chance",
    read: normaliser((text) => text, ["a+b", "\\s+$"]),
    families: [
      "0000-",
      "1234-01-01T",
      "Jan 1 ",
      "Mon, ",
      "1.1",
      "1:11:",
      "pid ",
      "abcdef00-0000-",
      ["1000000000000.", "1", "x"],
    ],
  },
  {
    reads: "why a check cannot run",
    read: (output) => cannotRun({ exit_code: 127, output }),
    families: ["/", ": not found", "a: ", ["No module named ", "a"]],
  },
  { reads: "what bubblewrap says", read: readFault, families: ["mount proc on ", "uid map: "] },
  {
    reads: "text for a terminal",
    read: (text) => plainJson(plainText(text)),
    families: ["\u001b", "\u202e", "\ud800"],
  },
  {
    reads: "text for Markdown and HTML",
    read: (text) => [plain(text), html`<b>${text}</b>`],
    families: ["&", "|", "`"],
  },
  { reads: "what a check printed", read: failureLines, families: ["Error", "- ", "aError"] },
  ...IMPORT_READERS,
];
