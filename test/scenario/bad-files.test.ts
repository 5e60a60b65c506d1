import { describe, expect, test } from "bun:test";
import { symlink } from "node:fs/promises";
import { loadScenarioFile } from "../../src/comparison/scenario/load-scenario.ts";
import { failureOf, SHORT, scenarioFolder, scenarioIn } from "./scenario-folder.ts";

const messageOf = async (text: string) => {
  const failure = await failureOf(scenarioIn({ text, file: "short.yaml", stem: "short", directory: "/nowhere" }));
  return failure.message.replaceAll("short.yaml:", "");
};

/** What is wrong; a text of the short file, and what it is replaced by; the message, without the file's name. */
const MISTAKES: readonly (readonly [string, string, string, string])[] = [
  [
    "unknown top key",
    "task:",
    "taks: 1\ntask:",
    '2:1 taks: unknown key; did you mean "task"? Allowed: name, title, description, tags, varies, measure, control, inputs, inputs_file, cluster, task, arms, policies, rubric, replay',
  ],
  [
    "unknown arm key",
    "    model: openai",
    "    modle: 1\n    model: openai",
    '6:5 arms[0].modle: unknown key; did you mean "model"? Allowed: id, extends, title, model, prompt, system_prompt, system_prompt_file, tools, agent, ran, endpoint, program, files, mcp, params, limits, price_per_mtok, script, scripts',
  ],
  [
    "unknown key far from any",
    "  prompt:",
    "  zzzzzz: 1\n  prompt:",
    "3:3 task.zzzzzz: unknown key; allowed: messages, prompt, question, follow_ups, fixture, image, setup, probe, reference_fix, reference_answer, deliverable",
  ],
  [
    "key of another case",
    "  prompt:",
    "  Prompt: 1\n  prompt:",
    '3:3 task.Prompt: unknown key; did you mean "prompt"? Allowed: messages, prompt, question, follow_ups, fixture, image, setup, probe, reference_fix, reference_answer, deliverable',
  ],
  [
    "a control that is no arm",
    "task:",
    "control: nobody\ntask:",
    '2:10 control: there is no arm "nobody"; the arms are plain and loud',
  ],
  [
    "clusters without rows",
    "task:",
    "cluster: topic\ntask:",
    "2:10 cluster: names a column of inputs, and there are none: add `inputs` or `inputs_file`, or leave it out",
  ],
  [
    "a measure without what it is made of",
    "task:",
    "measure: solved\ntask:",
    "2:10 measure: solved needs a check with `required: true` in task.probe; there is none",
  ],
  [
    "a score without graded checks",
    "task:",
    "measure: score\ntask:",
    "2:10 measure: score needs a check with `score: true` in task.probe; there is none",
  ],
  [
    "a number that is asked to pass without a least one",
    "  prompt: Say hello.",
    "  prompt: a\n  probe: {checks: [{run: b, score: true, required: true}]}",
    "4:52 task.probe.checks[0].required: needs `min_score`: a number alone is neither a pass nor a failure",
  ],
  [
    "a number that is expected before",
    "  prompt: Say hello.",
    "  prompt: a\n  probe: {checks: [{run: b, score: true, before: fail}]}",
    "4:50 task.probe.checks[0].before: needs `min_score`: a number alone is neither a pass nor a failure",
  ],
  [
    "a least number without a number",
    "  prompt: Say hello.",
    "  prompt: a\n  probe: {checks: [{run: b, min_score: 0.5}]}",
    "4:40 task.probe.checks[0].min_score: goes with `score: true`",
  ],
  [
    "a number of a text",
    "  prompt: Say hello.",
    "  prompt: a\n  probe: {checks: [{answer_contains: b, score: true}]}",
    "4:48 task.probe.checks[0].score: goes with run and posted, not with answer_contains",
  ],
  [
    "where nothing can be posted",
    "  prompt: Say hello.",
    "  prompt: a\n  probe: {checks: [{posted: {url: 'ftp://a/b'}}]}",
    "4:35 task.probe.checks[0].posted.url: expected http://<host>/<path> or https://<host>/<path>",
  ],
  [
    "a posted check that is expected before",
    "  prompt: Say hello.",
    "  prompt: a\n  probe: {checks: [{posted: {url: 'http://a/b'}, before: fail}]}",
    "4:58 task.probe.checks[0].before: goes not with posted: nobody is asked before an arm has worked; leave it out",
  ],
  [
    "a posted check of no variable for endpoints",
    "  prompt: Say hello.",
    "  prompt: a\n  probe: {checks: [{posted: {url: 'http://a/b', headers_env: {x: OPENAI_API_KEY}}}]}",
    '4:66 task.probe.checks[0].posted.headers_env.x: expected text that fits ^ABEVAL_ENDPOINT_[A-Z0-9_]{1,80}$, got "OPENAI_API_KEY"',
  ],
  [
    "missing prompt",
    "  prompt: Say hello.",
    "  setup: []",
    "3:3 task.prompt: missing; expected text, or a `prompt` in each arm",
  ],
  [
    "missing rubric",
    "rubric:\n  criteria:\n    - Is it friendly?\n    - Is it short?\n    - measure: tokens\n",
    "",
    "1:1 rubric: missing; expected a map",
  ],
  ["missing model", "    model: openai/gpt-x\n", "", "5:5 arms[0].model: missing; expected <provider>/<model>"],
  ["model without slash", "openai/gpt-x", "gpt", '6:12 arms[0].model: expected <provider>/<model>, got "gpt"'],
  [
    "model judge",
    "openai/gpt-x",
    "Builtin/evidence",
    "6:12 arms[0].model: Builtin/evidence is a judge; an arm needs a model that acts",
  ],
  [
    "two judges",
    "    - measure: tokens",
    "    - measure: tokens\n  judge: {model: [openai/x, mistral/y]}",
    "16:18 rubric.judge.model: a panel has 3 or 5 judges, and 2 are named; name one judge, 3 or 5",
  ],
  [
    "a price for a panel",
    "    - measure: tokens",
    '    - measure: tokens\n  judge: {model: "openai/x, mistral/y, groq/z", price_per_mtok: {in: 1, out: 2}}',
    "16:18 rubric.judge.model: several; price_per_mtok beside it is the price of one model",
  ],
  ["number for text", "Say hello.", "5", "3:11 task.prompt: expected text, got 5"],
  ["empty text", "Say hello.", '""', "3:11 task.prompt: must not be empty"],
  ["blank text", "Say hello.", '"  "', "3:11 task.prompt: must not be blank"],
  ["key without value", "Say hello.", "", "3:3 task.prompt: expected text, got nothing"],
  ["list for map", "  prompt: Say hello.", "  - a", "3:3 task: expected a map, got a list"],
  [
    "text for list",
    "  criteria:\n    - Is it friendly?\n    - Is it short?\n    - measure: tokens",
    "  criteria: good",
    '12:13 rubric.criteria: expected a list, got "good"',
  ],
  [
    "one arm",
    "  - id: loud\n    extends: plain\n    system_prompt: You shout.\n",
    "",
    "5:3 arms: expected at least two, found 1",
  ],
  [
    "nine arms",
    "rubric:",
    `${[3, 4, 5, 6, 7, 8, 9].map((n) => `  - {id: arm-${n}, extends: plain}`).join("\n")}\nrubric:`,
    "5:3 arms: expected at most 8, found 9",
  ],
  [
    "no arms list",
    "arms:\n  - id: plain\n    model: openai/gpt-x\n    system_prompt: You are brief.\n  - id: loud\n    extends: plain\n    system_prompt: You shout.\n",
    "arms: []\n",
    "4:7 arms: expected at least two, found none",
  ],
  ["equal arm ids", "id: loud", "id: plain", '8:9 arms[1].id: "plain" is taken; ids must differ'],
  ["reserved", "id: loud", "id: Tie", '8:9 arms[1].id: "Tie" is reserved, it would read as an outcome; choose another'],
  [
    "bad slug",
    "id: loud",
    "id: lo ud",
    '8:9 arms[1].id: expected a name of at most 64 letters, digits, ".", "_" and "-", a letter or digit first, got "lo ud"',
  ],
  [
    "unknown extends",
    "extends: plain",
    "extends: plan",
    '9:14 arms[1].extends: there is no arm "plan"; did you mean "plain"?',
  ],
  ["extends itself", "extends: plain", "extends: loud", "9:14 arms[1].extends: leads in a circle: loud -> loud"],
  [
    "circle",
    "id: plain",
    "id: plain\n    extends: loud",
    "6:14 arms[0].extends: leads in a circle: plain -> loud -> plain\n10:14 arms[1].extends: leads in a circle: loud -> plain -> loud",
  ],
  [
    "unknown tool",
    "extends: plain",
    "extends: plain\n    tools: [read_file, run_comand]",
    '10:24 arms[1].tools[1]: expected read_file, write_file, edit_file, list_files, search_files or run_command, got "run_comand"; did you mean "run_command"?',
  ],
  [
    "unknown tool in a script",
    "extends: plain",
    "extends: plain\n    script: [{say: A}, {calls: [{read_file: {path: a}}, {wirte_file: {path: a}}, {fs__edit: {}}]}]",
    '10:58 arms[1].script[1].calls[1].wirte_file: there is no tool "wirte_file"; did you mean "write_file"? Expected read_file, write_file, edit_file, list_files, search_files, run_command or <server>__<tool>',
  ],
  [
    "same tool twice",
    "extends: plain",
    "extends: plain\n    tools: [read_file, read_file]",
    "10:12 arms[1].tools: the same entry is given twice",
  ],
  [
    "zero budget",
    "rubric:",
    "policies: {budget: {max_turns: 0}}\nrubric:",
    "11:32 policies.budget.max_turns: expected a whole number from 1 to 10000, got 0",
  ],
  [
    "negative budget",
    "rubric:",
    "policies: {budget: {max_seconds: -1, max_turns: 1.5}}\nrubric:",
    "11:34 policies.budget.max_seconds: expected a number above 0, at most 86400, got -1\n11:49 policies.budget.max_turns: expected a whole number from 1 to 10000, got 1.5",
  ],
  [
    "infinite",
    "rubric:",
    "policies: {budget: {max_seconds: .inf}}\nrubric:",
    "11:34 policies.budget.max_seconds: expected a finite number, got Infinity; a text needs quotes",
  ],
  [
    "wider limit",
    "extends: plain",
    "extends: plain\n    limits: {max_turns: 50}",
    "10:25 arms[1].limits.max_turns: 50 is more than policies.budget.max_turns (40); a limit can only tighten the budget",
  ],
  [
    "half price",
    "extends: plain",
    "extends: plain\n    price_per_mtok: {in: 1}",
    "10:21 arms[1].price_per_mtok.out: missing; expected US dollars per million tokens",
  ],
  [
    "temperature",
    "extends: plain",
    "extends: plain\n    params: {temperature: 3}",
    "10:27 arms[1].params.temperature: expected a number from 0 to 2, got 3",
  ],
  [
    "no criteria",
    "  criteria:\n    - Is it friendly?\n    - Is it short?\n    - measure: tokens",
    "  criteria: []",
    "12:13 rubric.criteria: expected at least one, found none",
  ],
  [
    "weights zero",
    "    - Is it friendly?\n    - Is it short?\n    - measure: tokens",
    "    - {question: A, weight: 0}",
    "13:5 rubric.criteria: every weight is 0, so nothing would decide; give one a weight above 0",
  ],
  [
    "negative weight",
    "measure: tokens",
    "{measure: tokens, weight: -1}",
    "15:33 rubric.criteria[2].weight: expected a number from 0 to 1000000, got -1",
  ],
  [
    "duplicate criterion",
    "    - Is it friendly?\n    - Is it short?",
    "    - {id: a, question: A}\n    - {id: a, question: B}",
    '14:12 rubric.criteria[1].id: "a" is taken; ids must differ',
  ],
  [
    "both",
    "measure: tokens",
    "{measure: tokens, question: A}",
    "15:7 rubric.criteria[2]: has both a question (scored by the judge) and a measure (scored by code); keep one",
  ],
  [
    "neither",
    "measure: tokens",
    "weight: 1",
    "15:7 rubric.criteria[2]: needs a question (scored by the judge) or a measure (scored by code)",
  ],
  [
    "anchors on measure",
    "measure: tokens",
    "{measure: tokens, anchors: {0: a}}",
    "15:34 rubric.criteria[2].anchors: anchors explain a question's scores; a measure is scored by code",
  ],
  [
    "anchor 5",
    "measure: tokens",
    "{question: A, anchors: {5: a}}",
    "15:31 rubric.criteria[2].anchors.5: unknown key; allowed: 0, 1, 2, 3, 4",
  ],
  [
    "unknown measure",
    "measure: tokens",
    "measure: tokns",
    '15:16 rubric.criteria[2].measure: expected probe_score, reference_fix, changed_lines, answer_words, turns, tool_calls, tokens, wall_ms or cost_usd, got "tokns"; did you mean "tokens"?',
  ],
  [
    "probe_score without probe",
    "measure: tokens",
    "measure: probe_score",
    "15:16 rubric.criteria[2].measure: probe_score needs task.probe, which is missing",
  ],
  [
    "reference without",
    "measure: tokens",
    "measure: reference_fix",
    "15:16 rubric.criteria[2].measure: reference_fix needs task.reference_fix, which is missing",
  ],
  ["number criterion", "measure: tokens", "5", "15:7 rubric.criteria[2]: expected text or a map, got 5"],
  [
    "name no slug",
    "name: short",
    "name: my short",
    '1:7 name: expected a name of at most 64 letters, digits, ".", "_" and "-", a letter or digit first, got "my short"',
  ],
  [
    "name not stem",
    "name: short",
    "name: long",
    '1:7 name: is "long" but the file\'s name begins with "short"; they must be equal',
  ],
  [
    "scripted without",
    "openai/gpt-x",
    "scripted/x",
    "5:5 arms[0].script: missing; scripted/x replays the arm's script and needs at least one turn\n8:5 arms[1].script: missing; scripted/x replays the arm's script and needs at least one turn",
  ],
  [
    "Scripted without",
    "openai/gpt-x",
    "Scripted/x",
    "5:5 arms[0].script: missing; Scripted/x replays the arm's script and needs at least one turn\n8:5 arms[1].script: missing; Scripted/x replays the arm's script and needs at least one turn",
  ],
  [
    "script call two",
    "extends: plain",
    "extends: plain\n    script: [{calls: [{read_file: {}, list_files: {}}]}]",
    "10:23 arms[1].script[0].calls[0]: expected a map with exactly one key, found 2",
  ],
  [
    "script and scripts",
    "extends: plain",
    "extends: plain\n    script: [{say: a}]\n    scripts: [{weight: 1, turns: [{say: a}]}]",
    "11:14 arms[1].scripts: script is given too; keep one",
  ],
  [
    "weights that are none",
    "extends: plain",
    "extends: plain\n    scripts: [{weight: 0, turns: [{say: a}]}, {weight: -1, turns: [{say: a}]}, {weight: .inf, turns: [{say: a}]}, {weight: .nan, turns: [{say: a}]}, {turns: [{say: a}]}]",
    "10:24 arms[1].scripts[0].weight: expected a number above 0, at most 1000000, got 0\n10:56 arms[1].scripts[1].weight: expected a number above 0, at most 1000000, got -1\n10:89 arms[1].scripts[2].weight: expected a finite number, got Infinity; a text needs quotes\n10:124 arms[1].scripts[3].weight: expected a finite number, got NaN; a text needs quotes\n10:150 arms[1].scripts[4].weight: missing; expected a number above 0, at most 1000000",
  ],
  [
    "scripts that say nothing",
    "extends: plain",
    "extends: plain\n    scripts: [{weight: 1, turns: []}, {weight: 1}, {weight: 1, turns: [{say: 1}]}, {weight: 1, turn: [], turns: [{say: a}]}]",
    `10:34 arms[1].scripts[0].turns: expected at least one, found none\n10:39 arms[1].scripts[1].turns: missing; expected a list\n10:78 arms[1].scripts[2].turns[0].say: expected text, got 1\n10:96 arms[1].scripts[3].turn: unknown key; did you mean "turns"? Allowed: weight, turns`,
  ],
  [
    "no scripts",
    "extends: plain",
    "extends: plain\n    scripts: []",
    "10:14 arms[1].scripts: expected at least one, found none",
  ],
  [
    "too many scripts",
    "extends: plain",
    `extends: plain\n    scripts: [${"{weight: 1, turns: [{say: a}]}, ".repeat(21)}]`,
    "10:14 arms[1].scripts: expected at most 20, found 21",
  ],
  [
    "scripted with scripts taken away",
    "extends: plain",
    "model: scripted/x\n    scripts: null",
    "8:5 arms[1].script: missing; scripted/x replays the arm's script and needs at least one turn",
  ],
  [
    "regex",
    "  prompt: Say hello.",
    "  prompt: Say hello.\n  probe: {checks: [{run: a, output_matches: /(a/}]}",
    "4:45 task.probe.checks[0].output_matches: /(a/ is not a regular expression (RE2 syntax): missing closing ): `(a`",
  ],
  [
    "lookahead",
    "  prompt: Say hello.",
    '  prompt: Say hello.\n  probe: {checks: [{run: a, output_matches: "/a(?!b)/"}]}',
    "4:45 task.probe.checks[0].output_matches: /a(?!b)/ is not a regular expression (RE2 syntax): invalid or unsupported Perl syntax: `(?!`",
  ],
  [
    "empty regex",
    "  prompt: Say hello.",
    "  prompt: Say hello.\n  probe: {checks: [{run: a, output_matches: //}]}",
    "4:45 task.probe.checks[0].output_matches: // is not a regular expression (RE2 syntax): it is empty and would match everything",
  ],
  [
    "dear regex",
    "  prompt: Say hello.",
    '  prompt: Say hello.\n  probe: {checks: [{answer_matches: "/a[^b]{0,1000}b[^c]{0,1000}c/"}]}',
    "4:37 task.probe.checks[0].answer_matches: /a[^b]{0,1000}b[^c]{0,1000}c/ is too dear: it takes 4,005 instructions, more than 2,500; repeat less",
  ],
  [
    "dup checks",
    "  prompt: Say hello.",
    "  prompt: Say hello.\n  probe: {checks: [{id: a, run: a}, {id: a, run: b}]}",
    '4:42 task.probe.checks[1].id: "a" is taken; ids must differ',
  ],
  [
    "check wrong type",
    "  prompt: Say hello.",
    "  prompt: Say hello.\n  probe: {checks: [5]}",
    "4:20 task.probe.checks[0]: expected text or a map, got 5",
  ],
  [
    "check without run",
    "  prompt: Say hello.",
    "  prompt: Say hello.\n  probe: {checks: [{id: a}]}",
    "4:20 task.probe.checks[0]: needs one of run, answer_contains, answer_lacks, answer_matches, answer_json, called, changed, posted",
  ],
  [
    "check weight",
    "  prompt: Say hello.",
    "  prompt: Say hello.\n  probe: {checks: [{run: a, weight: 0}]}",
    "4:37 task.probe.checks[0].weight: expected a number above 0, at most 1000000, got 0",
  ],
  [
    "check of two kinds",
    "  prompt: Say hello.",
    "  prompt: a\n  probe: {checks: [{run: a, answer_contains: b}]}",
    "4:20 task.probe.checks[0]: has run and answer_contains; make a check of each",
  ],
  [
    "exit code of an answer",
    "  prompt: Say hello.",
    "  prompt: a\n  probe: {checks: [{answer_contains: b, expect_exit: 1}]}",
    "4:54 task.probe.checks[0].expect_exit: goes with run, not with answer_contains",
  ],
  [
    "case of an expression",
    "  prompt: Say hello.",
    "  prompt: a\n  probe: {checks: [{answer_matches: b, ignore_case: true}]}",
    "4:53 task.probe.checks[0].ignore_case: goes with answer_contains and answer_lacks, not with answer_matches",
  ],
  [
    "check that always passes",
    "  prompt: Say hello.",
    "  prompt: a\n  probe: {checks: [{called: {tool: read_file, min: 0}}]}",
    "4:52 task.probe.checks[0].called.min: is 0, so it always passes; add `max`",
  ],
  [
    "most below least",
    "  prompt: Say hello.",
    "  prompt: a\n  probe: {checks: [{changed: {paths: [a], min: 3, max: 2}}]}",
    "4:56 task.probe.checks[0].changed.max: is 2, which is less than min: 3",
  ],
  [
    "no JSON Schema",
    "  prompt: Say hello.",
    "  prompt: a\n  probe: {checks: [{answer_json: {type: objekt}}]}",
    "4:34 task.probe.checks[0].answer_json: is no JSON Schema that can be used: schema is invalid: data/type must be equal to one of the allowed values",
  ],
  [
    "schema without an end",
    "  prompt: Say hello.",
    '  prompt: a\n  probe: {checks: [{answer_json: {$ref: "#"}}]}',
    "4:34 task.probe.checks[0].answer_json: is no JSON Schema that can be used: it follows more than 1,000 references, one from another",
  ],
  [
    "before of an answer",
    "  prompt: Say hello.",
    "  prompt: a\n  probe: {checks: [{answer_lacks: b, before: fail}]}",
    "4:46 task.probe.checks[0].before: is pass: that is what it gives before an arm has worked; leave it out",
  ],
  [
    "blank reference answer",
    "  prompt: Say hello.",
    '  prompt: a\n  reference_answer: " "',
    "4:21 task.reference_answer: must not be blank",
  ],
  [
    "check before",
    "  prompt: Say hello.",
    "  prompt: Say hello.\n  probe: {checks: [{run: a, before: failed}]}",
    '4:37 task.probe.checks[0].before: expected pass or fail, got "failed"',
  ],
  [
    "no checks",
    "  prompt: Say hello.",
    "  prompt: Say hello.\n  probe: {checks: []}",
    "4:19 task.probe.checks: expected at least one, found none",
  ],
  [
    "globs",
    "rubric:",
    'policies: {paths: {writable: [""], protected: [/etc/x, "../a", a/, "!b"]}}\nrubric:',
    '11:31 policies.paths.writable[0]: an empty glob matches nothing; remove it\n11:48 policies.paths.protected[0]: "/etc/x" is absolute; write it relative to the workspace, without the first slash\n11:56 policies.paths.protected[1]: "../a" leaves the workspace; `..` matches nothing there\n11:64 policies.paths.protected[2]: "a/" matches no file; for everything in a directory write "a/**"\n11:68 policies.paths.protected[3]: "!b" is a negation, which is not supported; list what shall match',
  ],
  [
    "deliverable",
    "  prompt: Say hello.",
    "  prompt: a\n  deliverable: []",
    "4:16 task.deliverable: with an empty list no change counts; leave it out to count everything, or write `answer`",
  ],
  [
    "empty deny",
    "rubric:",
    'policies: {commands: {deny: [" "]}}\nrubric:',
    "11:30 policies.commands.deny[0]: an empty rule matches nothing; remove it",
  ],
  [
    "both prompts",
    "system_prompt: You shout.",
    "system_prompt: You shout.\n    system_prompt_file: a.md",
    "11:25 arms[1].system_prompt_file: system_prompt is given too; keep one",
  ],
  [
    "severity",
    "rubric:",
    "policies: {severity: {denied_command: disqualify}}\nrubric:",
    "11:39 policies.severity.denied_command: a refused command never ran, so it cannot disqualify; write warn or leave it out",
  ],
  [
    "required tool",
    "rubric:",
    "    tools: [read_file]\npolicies: {required: [{id: a, tool: run_command}]}\nrubric:",
    '12:37 policies.required[0].tool: arm "loud" does not have the tool run_command',
  ],
  [
    "required tool nowhere",
    "rubric:",
    "policies: {required: [{id: a, tool: run_comand}]}\nrubric:",
    '11:37 policies.required[0].tool: there is no tool "run_comand"; did you mean "run_command"? Expected read_file, write_file, edit_file, list_files, search_files, run_command or <server>__<tool>',
  ],
  [
    "required tool of a server that an arm lacks",
    "rubric:",
    "policies: {required: [{id: a, tool: fs__edit}]}\nrubric:",
    '11:37 policies.required[0].tool: arm "plain" does not have the tool fs__edit',
  ],
  [
    "required tool that a server does not offer",
    "    system_prompt: You are brief.\n  - id: loud\n    extends: plain\n    system_prompt: You shout.\n",
    "    mcp: {fs: {install: x, command: [y], tools: [write]}}\n  - id: loud\n    extends: plain\npolicies: {required: [{id: a, tool: fs__write}, {id: b, tool: fs__edit}]}\n",
    '10:63 policies.required[1].tool: arm "plain" does not have the tool fs__edit',
  ],
  [
    "mcp server's name",
    "    system_prompt: You are brief.",
    "    mcp: {My_Server: {install: x, command: [y]}}",
    '7:11 arms[0].mcp.My_Server: unknown key; expected a name of at most 32 lower case letters, digits and "-", a letter first',
  ],
  [
    "mcp without servers",
    "    system_prompt: You are brief.",
    "    mcp: {}",
    "7:10 arms[0].mcp: expected a map with 1 to 10 keys, found 0",
  ],
  [
    "mcp install elsewhere",
    "    system_prompt: You are brief.",
    "    mcp: {fs: {install: ../etc, command: [y]}}",
    '7:25 arms[0].mcp.fs.install: expected a name of at most 64 letters, digits, ".", "_" and "-", a letter or digit first, got "../etc"',
  ],
  [
    "mcp command as a line",
    "    system_prompt: You are brief.",
    "    mcp: {fs: {install: x, command: y z}}",
    '7:37 arms[0].mcp.fs.command: expected a list, got "y z"',
  ],
  [
    "required match",
    "rubric:",
    "policies: {required: [{id: a, tool: list_files, match: a}]}\nrubric:",
    "11:56 policies.required[0].match: calls of list_files have no path to match; leave it out",
  ],
  [
    "required dup",
    "rubric:",
    "policies: {required: [{id: a, tool: list_files}, {id: a, tool: list_files}]}\nrubric:",
    '11:55 policies.required[1].id: "a" is taken; ids must differ',
  ],
  ["network", "rubric:", "policies: {network: on}\nrubric:", '11:21 policies.network: expected none or open, got "on"'],
  [
    "varies",
    "name: short",
    "name: short\nvaries: [model, promt]",
    '2:17 varies[1]: expected model, agent, files, prompt, system_prompt, tools, mcp, params, limits, price_per_mtok, ran, endpoint or program, got "promt"; did you mean "prompt"?',
  ],
  [
    "tie_margin",
    "rubric:",
    "rubric:\n  tie_margin: 2",
    "12:15 rubric.tie_margin: expected a number from 0 to 1, got 2",
  ],
  [
    "fixture wrong type",
    "  prompt: Say hello.",
    "  prompt: a\n  fixture: 5",
    "4:12 task.fixture: expected text or a map, got 5",
  ],
  [
    "fixture empty",
    "  prompt: Say hello.",
    "  prompt: a\n  fixture: {}",
    "4:12 task.fixture: needs `dir`, `git` or `files`; leave it out for none",
  ],
  [
    "inline path",
    "  prompt: Say hello.",
    "  prompt: a\n  fixture: {files: {../a: x, /b: x, c: x, c/d: x}}",
    '4:21 task.fixture.files["../a"]: the path must not contain `..`\n4:30 task.fixture.files["/b"]: the path must be relative\n4:37 task.fixture.files.c: the path is also a directory of another file',
  ],
  [
    "inline not text",
    "  prompt: Say hello.",
    "  prompt: a\n  fixture: {files: {a: 5}}",
    "4:24 task.fixture.files.a: expected text, got 5",
  ],
  [
    "reference both",
    "  prompt: Say hello.",
    "  prompt: a\n  reference_fix: {patch: a, dir: b}",
    "4:18 task.reference_fix: has both a patch and fixed files; keep one",
  ],
  [
    "reference none",
    "  prompt: Say hello.",
    "  prompt: a\n  reference_fix: {}",
    "4:18 task.reference_fix: needs `patch`, `dir` or `files`",
  ],
  [
    "reference same",
    "  prompt: Say hello.",
    "  prompt: a\n  fixture: {files: {a: x}}\n  reference_fix: {files: {a: x}}",
    "5:18 task.reference_fix: the fix changes nothing: every file is as in the fixture",
  ],
  ["duplicate key", "name: short", "name: short\nname: short", "2:1 name: is given twice in the same map; keep one"],
  [
    "duplicate nested",
    "    model: openai/gpt-x",
    "    model: openai/gpt-x\n    model: openai/gpt-y",
    "7:5 arms[0].model: is given twice in the same map; keep one",
  ],
  [
    "alias",
    "    system_prompt: You are brief.",
    "    system_prompt: &p You are brief.\n    title: *p",
    "8:12 arms[0].title: aliases (*p) are not supported; write the value out",
  ],
  [
    "merge key",
    "extends: plain",
    "<<: {model: a/b}",
    '8:5 arms[1].model: missing; expected <provider>/<model>\n9:5 arms[1]["<<"]: unknown key; allowed: id, extends, title, model, prompt, system_prompt, system_prompt_file, tools, agent, ran, endpoint, program, files, mcp, params, limits, price_per_mtok, script, scripts',
  ],
  ["tag", "Say hello.", "!secret abc", "3:19 task.prompt: tags (!secret) are not supported; write a plain value"],
  [
    "binary",
    "Say hello.",
    "!!binary aGk=",
    "3:20 task.prompt: tags (tag:yaml.org,2002:binary) are not supported; write a plain value",
  ],
  ["proto", "task:", "__proto__: {a: 1}\ntask:", "2:1 __proto__: cannot be used as a key"],
  [
    "constructor",
    "task:",
    "constructor: {a: 1}\ntask:",
    "2:1 constructor: unknown key; allowed: name, title, description, tags, varies, measure, control, inputs, inputs_file, cluster, task, arms, policies, rubric, replay",
  ],
  ["complex key", "task:", "? [a]\n: 1\ntask:", "2:3 a key must be plain text"],
  ["syntax", "Say hello.", '"Say hello.', '16:1 not valid YAML: missing closing "quote'],
  ["tab", "  prompt", "\tprompt", "3:1 not valid YAML: tabs are not allowed as indentation"],
  [
    "a colon in a text",
    "Say hello.",
    "Say: hello.",
    '3:11 not valid YAML: nested mappings are not allowed in compact mappings; a text with ": " in it needs quotes',
  ],
  ["two documents", "rubric:", "---\nrubric:", "11:1 a second document begins; a scenario file holds one"],
  ["directive", "name:", "%YAML 1.2\n---\nname:", "1:1 directives are not supported; remove this line"],
];

test.each(MISTAKES)("%s", async (_, replaced, by, message) => {
  expect(SHORT).toContain(replaced);
  expect(await messageOf(SHORT.replace(replaced, () => by))).toBe(message);
});

describe("a file that holds no map", () => {
  test.each([
    ["", "1:1 the file is empty; expected a map with name, task, arms and rubric"],
    ["# only a comment\n", "1:1 the file is empty; expected a map with name, task, arms and rubric"],
    ["- a\n- b\n", "1:1 expected a map with name, task, arms and rubric, got a list"],
    ["\n\n  5", "3:3 expected a map with name, task, arms and rubric, got 5"],
    ["[", "1:2 not valid YAML: flow sequence must end with a ]"],
  ])("%j", async (text, message) => {
    expect(await messageOf(text)).toBe(message);
  });
});

test("all mistakes of a file are told at once, in the order of the file", async () => {
  const text = SHORT.replace("gpt-x", "")
    .replace("Say hello.", "5")
    .replace("extends: plain", "extnds: plain\n    tools: all")
    .replace("measure: tokens", "{measure: probe_score, weight: -1}")
    .replace("rubric:", "policies: {budget: {max_turns: 0}, paths: {protected: [/a]}}\nrubric:");
  const failure = await failureOf(scenarioIn({ text, file: "a/b.yaml", stem: "b", directory: "/nowhere" }));
  const errors = [
    {
      line: 1,
      column: 7,
      field: "name",
      message: 'is "short" but the file\'s name begins with "b"; they must be equal',
    },
    { line: 3, column: 11, field: "task.prompt", message: "expected text, got 5" },
    { line: 6, column: 12, field: "arms[0].model", message: 'expected <provider>/<model>, got "openai/"' },
    {
      line: 9,
      column: 5,
      field: "arms[1].extnds",
      message:
        'unknown key; did you mean "extends"? Allowed: id, extends, title, model, prompt, system_prompt, system_prompt_file, tools, agent, ran, endpoint, program, files, mcp, params, limits, price_per_mtok, script, scripts',
    },
    { line: 10, column: 12, field: "arms[1].tools", message: 'expected a list, got "all"' },
    {
      line: 12,
      column: 32,
      field: "policies.budget.max_turns",
      message: "expected a whole number from 1 to 10000, got 0",
    },
    {
      line: 17,
      column: 38,
      field: "rubric.criteria[2].weight",
      message: "expected a number from 0 to 1000000, got -1",
    },
  ];
  expect(failure.code).toBe("invalid_scenario");
  expect(failure.details).toEqual({ errors });
  expect(failure.message).toBe(
    errors.map(({ line, column, field, message }) => `a/b.yaml:${line}:${column} ${field}: ${message}`).join("\n"),
  );
});

test("twenty mistakes are shown and the rest is counted", async () => {
  const keys = Array.from({ length: 33 }, (_, index) => `qqqq${index}: 1\n`).join("");
  const failure = await failureOf(
    scenarioIn({ text: SHORT + keys, file: "short.yaml", stem: "short", directory: "/" }),
  );
  expect(failure.message.split("\n")).toHaveLength(21);
  expect(failure.message).toEndWith("\nand 13 more");
});

describe("materials", () => {
  const withTask = (fields: string) => SHORT.replace("  prompt: Say hello.", `  prompt: Say hello.\n  ${fields}`);

  test.each([
    ["fixture: fix", "4:12 task.fixture: fix does not exist"],
    ["fixture: {dir: fix}", "4:18 task.fixture.dir: fix does not exist"],
    ["fixture: file.txt", "4:12 task.fixture: file.txt is not a directory"],
    ["fixture: ..", "4:12 task.fixture: .. is not inside the scenarios directory"],
    ["fixture: .", "4:12 task.fixture: . is not inside the scenarios directory"],
    ["fixture: here/../../x", "4:12 task.fixture: here/../../x is not inside the scenarios directory"],
    ["fixture: /etc", "4:12 task.fixture: /etc must be relative to the scenario file"],
    ["fixture: out", "4:12 task.fixture: out leads out of the scenarios directory through a link"],
    ["fixture: out/fixture", "4:12 task.fixture: out/fixture leads out of the scenarios directory through a link"],
    ["probe: {dir: gone, checks: [a]}", "4:16 task.probe.dir: gone does not exist"],
    ["reference_fix: {patch: gone}", "4:26 task.reference_fix.patch: gone does not exist"],
    ["reference_fix: {patch: here}", "4:26 task.reference_fix.patch: here is not a file"],
    ["reference_fix: {patch: ../a}", "4:26 task.reference_fix.patch: ../a is not inside the scenarios directory"],
    [
      "reference_fix: {patch: file.txt}",
      "4:26 task.reference_fix.patch: file.txt is not a unified diff, or touches no file",
    ],
    [
      "reference_fix: {patch: torn.patch}",
      "4:26 task.reference_fix.patch: torn.patch is not a unified diff (line 4 is none of the hunk at line 3)",
    ],
    [
      "reference_fix: {patch: out.patch}",
      "4:26 task.reference_fix.patch: out.patch names ../x, which must not contain `..`",
    ],
    ["reference_fix: {patch: latin.txt}", "4:26 task.reference_fix.patch: latin.txt is not UTF-8 text"],
    ["reference_fix: {dir: bin}", "4:18 task.reference_fix: the fix has a.bin, which is not text"],
    ["reference_fix: {dir: gone}", "4:24 task.reference_fix.dir: gone does not exist"],
    ["reference_fix: {files: {../a: b}}", '4:27 task.reference_fix.files["../a"]: the path must not contain `..`'],
  ])("%s", async (fields, message) => {
    await using elsewhere = await scenarioFolder({ "fixture/a.txt": "a" });
    await using folder = await scenarioFolder({
      "short.yaml": withTask(fields),
      "file.txt": "text\n",
      "here/a.txt": "a",
      "torn.patch": "--- a/x\n+++ b/x\n@@ -1 +1 @@\nbroken\n",
      "out.patch": "--- a/../x\n+++ b/../x\n@@ -1 +1 @@\n-a\n+b\n".replace("a/../x", "/dev/null"),
      "latin.txt": new Uint8Array([0xe9, 0x0a]),
      "bin/a.bin": new Uint8Array([1, 0, 2]),
    });
    await symlink(elsewhere.directory, folder.path("out"));
    const failure = await failureOf(loadScenarioFile(folder.path("short.yaml")));
    expect(failure.message).toBe(`${folder.path("short.yaml")}:${message}`);
  });

  test("a prompt file that is missing or outside is refused", async () => {
    const withPrompt = (file: string) => SHORT.replace("system_prompt: You shout.", `system_prompt_file: ${file}`);
    await using folder = await scenarioFolder({ "short.yaml": withPrompt("a.md") });
    const file = folder.path("short.yaml");
    expect((await failureOf(loadScenarioFile(file))).message).toBe(
      `${file}:10:25 arms[1].system_prompt_file: a.md does not exist`,
    );
    await folder.write("short.yaml", withPrompt("../a.md"));
    expect((await failureOf(loadScenarioFile(file))).message).toBe(
      `${file}:10:25 arms[1].system_prompt_file: ../a.md is not inside the scenarios directory`,
    );
  });
});

describe("the file itself", () => {
  test("a directory is told with the pattern of its files", async () => {
    await using folder = await scenarioFolder({ "suite/one.yaml": SHORT });
    const told = async (path: string) => (await failureOf(loadScenarioFile(path))).message;
    const suite = folder.path("suite");
    expect(await told(suite)).toBe(`${suite}: is a directory; give its scenario files, for example as ${suite}/*.yaml`);
    expect(await told(`${suite}/`)).toEndWith(`for example as ${suite}/*.yaml`);
    expect(await told("/")).toBe("/: is a directory; give its scenario files, for example as /*.yaml");
  });

  test.each([
    ["gone.yaml", " the file does not exist; give the path of a .yaml file"],
    ["directory.yaml", " the file is not a regular file"],
    ["notes.txt", " the file is not a scenario file; its name must end in .yaml, .yml or .json"],
    ["large.yaml", " the file has 257 KiB, more than 256 KiB"],
    ["latin.yaml", " the file is not UTF-8 text"],
    ["pipe.yaml", " the file is not a regular file"],
  ])("%s", async (name, message) => {
    await using folder = await scenarioFolder({
      "directory.yaml/a.txt": "a",
      "notes.txt": SHORT,
      "large.yaml": `#${"x".repeat(256 * 1024)}`,
      "latin.yaml": new Uint8Array([0x61, 0x3a, 0xe9]),
    });
    Bun.spawnSync(["mkfifo", folder.path("pipe.yaml")]);
    const failure = await failureOf(loadScenarioFile(folder.path(name)));
    expect(failure.message).toBe(`${folder.path(name)}:${message}`);
  });
});
