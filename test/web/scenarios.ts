import type { Opinion } from "./fake-judge.ts";
import { JUDGE_NAME } from "./judge-name.ts";

/** Text by which an arm tries to take over the page that shows it. */
export const HOSTILE = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script> [x](javascript:alert(1)) https://evil.example/ <a href="https://evil.example/">click</a>`;

const HOSTILE_PATH = `<img src=x onerror=document.title='owned'>.html`;

/** Lines that one arm of \`big\` writes. */
export const BIG_LINES = 5_000;

/** What the setup of `unprepared` prints. One line has no place to break. */
export const SETUP_LOG = `resolving packages
fetching https://registry.example/${"very-long-name-".repeat(20)}.tgz
  at line 3: checksum mismatch
stopped`;

/** To a reader the comment seems to hold no code. */
const TURNED = "const admin = false; /* \u202e } \u2066if (admin)\u2069 \u2066 begin */\n";

/** It is read from the right. */
export const HEBREW = "\u05e9\u05dc\u05d5\u05dd, world.";

const quoted = (text: string) => JSON.stringify(text);

const turns = (count: number, delay_ms: number) =>
  Array.from(
    { length: count },
    (_, index) => `{say: Step ${index + 1}., calls: [{list_files: {}}], delay_ms: ${delay_ms}}`,
  ).join(", ");

/** A pause longer than any test, so that the arm is still at work. */
const REST = "{say: I rest., calls: [{list_files: {}}], delay_ms: 60000}";

const MEASURED = `rubric:
  criteria: [{id: turns, measure: turns}]
  judge: {model: builtin/evidence}
`;

export const WEB_SCENARIOS: Readonly<Record<string, string>> = {
  quick: `
name: quick
title: Say hello
tags: [small, a-tag-of-sixty-characters-a-tag-of-sixty-characters-]
varies: [system_prompt]
task: {prompt: Say hello.}
arms:
  - {id: short, model: scripted/short, system_prompt: Be short., script: [{calls: [{write_file: {path: hello.txt, content: Hello.}}]}, {say: Hello.}]}
  - {id: long, model: scripted/long, system_prompt: Take your time., script: [{say: I look around., calls: [{list_files: {}}]}, {calls: [{write_file: {path: hello.txt, content: Good morning.}}]}, {say: Good morning to you., delay_ms: 500}]}
${MEASURED}`,
  slow: `
name: slow
title: A long way
task: {prompt: Take a walk.}
arms:
  - {id: walker, model: scripted/walker, script: [${turns(8, 500)}, ${REST}, {say: There.}]}
  - {id: runner, model: scripted/runner, script: [${turns(8, 400)}, ${REST}, {say: There.}]}
${MEASURED}`,
  big: `
name: big
title: Many lines
task: {prompt: Write many lines.}
arms:
  - {id: writer, model: scripted/writer, script: [{calls: [{write_file: {path: many.ts, content: ${quoted(bigText())}}}]}, {say: Written.}]}
  - {id: idler, model: scripted/idler, script: [{say: Nothing to write.}]}
${MEASURED}`,
  hostile: `
name: hostile
title: Arms that mean harm
task:
  prompt: Write a page.
  fixture: {files: {page.txt: "one\\n"}}
  probe:
    checks:
      - {id: kept, run: "test -f page.txt"}
      - {id: short, run: "test $(wc -l < page.txt) -lt 3"}
      - {id: clean, run: "! ls *.html"}
arms:
  - id: attacker
    model: scripted/attacker
    script:
      - {say: ${quoted(HOSTILE)}, calls: [{write_file: {path: ${quoted(HOSTILE_PATH)}, content: ${quoted(HOSTILE)}}}, {run_command: {command: "curl https://evil.example"}}]}
      - {say: ${quoted(HOSTILE)}}
  - {id: honest, model: scripted/honest, script: [{calls: [{write_file: {path: page.txt, content: "one\\ntwo\\n"}}]}, {say: A second line is there.}]}
policies:
  commands: {deny: ["curl *"]}
rubric:
  criteria: [{id: page, question: Is the page good?, weight: 1}]
  judge: {model: ${JUDGE_NAME}}
`,
  unprepared: `
name: unprepared
title: A setup that fails
task:
  prompt: Say hello.
  fixture: {files: {setup.log: ${quoted(SETUP_LOG)}}}
  setup: [{run: "cat setup.log; exit 3"}]
arms:
  - {id: left, model: scripted/left, script: [{say: Hello.}]}
  - {id: right, model: scripted/right, script: [{say: Hello.}]}
${MEASURED}`,
  limited: `
name: limited
title: One arm at its limit
task: {prompt: Say two things.}
arms:
  - {id: brief, model: scripted/brief, limits: {max_turns: 1}, script: [{say: One., calls: [{list_files: {}}]}, {say: Two.}]}
  - {id: patient, model: scripted/patient, script: [{say: One., calls: [{list_files: {}}]}, ${REST}, {say: Two.}]}
${MEASURED}`,
  turned: `
name: turned
title: Code that reads otherwise
task: {prompt: Write code.}
arms:
  - {id: turner, model: scripted/turner, script: [{calls: [{write_file: {path: check.ts, content: ${quoted(TURNED)}}}]}, {say: ${quoted(HEBREW)}}]}
  - {id: idler, model: scripted/idler, script: [{say: Nothing to write.}]}
${MEASURED}`,
  broken: "name: broken\narms: nonsense\n",
};

function bigText(): string {
  return Array.from({ length: BIG_LINES }, (_, index) => `export const value${index} = ${index};\n`).join("");
}

/** The judge prefers the attacker, although it fails one of three hidden checks. */
export const WEB_OPINIONS: readonly Opinion[] = [
  {
    knownBy: "A second line is there.",
    knownInCode: "modified file-2.txt",
    scores: { page: 1 },
    notes: { page: "Plain." },
    citations: [{ kind: "diff", ref: "page.txt", quote: "+two" }],
  },
  {
    knownBy: "evil.example",
    knownInCode: "added file-1.html",
    scores: { page: 4 },
    notes: { page: `It has everything. ${HOSTILE}` },
    citations: [{ kind: "answer", ref: "final", quote: "onerror" }],
  },
];

/** A question whose answer is the work, a check that can run on neither arm, and one that cannot run on one of them. */
export const EVIDENCE_SCENARIOS = {
  asked: `
name: asked
title: A question
task:
  prompt: Until when can I return the shoes?
  deliverable: answer
  probe: {checks: [{id: rule, answer_contains: [30 days]}]}
arms:
  - {id: exact, model: scripted/exact, script: [{say: Within 30 days.}]}
  - {id: vague, model: scripted/vague, script: [{say: At any time.}]}
rubric: {criteria: [{id: checks, measure: probe_score}], judge: {model: builtin/evidence}}
`,
  unchecked: `
name: unchecked
title: A check whose program is missing
task:
  prompt: Say hello.
  probe: {checks: [{id: lint, run: "sh -c 'no-such-linter .'"}, {id: greets, run: "true"}]}
arms:
  - {id: short, model: scripted/short, script: [{say: Hello.}]}
  - {id: long, model: scripted/long, script: [{say: Good morning to you.}]}
rubric: {criteria: [{id: checks, measure: probe_score}], judge: {model: builtin/evidence}}
`,
  unlinted: `
name: unlinted
title: A check whose program one arm needs
task:
  prompt: Say hello.
  probe: {checks: [{id: lint, run: "test -f plain.txt || no-such-linter .", required: true}, {id: greets, run: "true"}]}
arms:
  - {id: plain, model: scripted/plain, script: [{calls: [{write_file: {path: plain.txt, content: Hello.}}]}, {say: Hello.}]}
  - {id: bare, model: scripted/bare, script: [{say: Hello.}]}
rubric: {criteria: [{id: checks, measure: probe_score}], judge: {model: builtin/evidence}}
`,
};
