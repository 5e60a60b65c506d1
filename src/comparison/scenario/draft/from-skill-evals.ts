import { basename } from "node:path";
import { cut } from "../../../domain/excerpt.ts";
import { asRecord, asRecords, asText, type LooseRecord } from "../../../domain/lenient.ts";
import { plainText } from "../../../domain/plain-text.ts";
import { workspacePathFault } from "../confined-path.ts";
import type { Draft, DraftCheck } from "../draft-scenario.ts";
import { slugOf } from "../resolve/ids.ts";
import { Unusable } from "../unusable.ts";
import { type AnswerCheck, answerLacksPattern, answerMatches, quotedForShell } from "./assertion.ts";
import { budgetOf } from "./budget.ts";
import { copied, type Material, taskFiles, yamlOf } from "./material.ts";

export const SKILL_EVALS_MARKER = "eval.yaml";

/** One scenario of a skill's evals, by its place in the file. */
interface SkillEval {
  readonly task: string;
  readonly name: string;
  readonly draft: (name: string) => Promise<Draft>;
}

/** The scenarios of an `eval.yaml`. @throws Unusable when the file cannot be read */
export async function skillEvals(directory: string, task: string): Promise<readonly SkillEval[]> {
  const listed = (await yamlOf(directory, SKILL_EVALS_MARKER))["scenarios"];
  if (!Array.isArray(listed) || listed.length === 0) throw new Unusable("has no scenarios");
  return asRecords(listed).map((scenario, index) => {
    const words = slugOf(asText(scenario["name"]) ?? "", `${index + 1}`);
    return {
      task: `${task} ${index + 1}: ${cut(plainText(asText(scenario["name"]) ?? "").trim(), NAME_SHOWN)}`,
      name: `${basename(directory)
        .replace(/[^A-Za-z0-9._-]/g, "-")
        .slice(0, 22)}-${words}`.replace(/^[^A-Za-z0-9]+/, ""),
      draft: (name) => draftOf(directory, scenario, name),
    };
  });
}

const NAME_SHOWN = 60;

const KNOWN = /^(name|prompt|setup|assertions|rubric|timeout|expect_tools|reject_tools|expect_activation)$/;

async function draftOf(directory: string, scenario: LooseRecord, name: string): Promise<Draft> {
  const stranger = Object.keys(scenario).find((key) => !KNOWN.test(key));
  if (stranger !== undefined) throw new Unusable(`has a field that is not known: ${cut(stranger)}`);
  const prompt = asText(scenario["prompt"])?.trim();
  if (!prompt) throw new Unusable("has no prompt");
  const checks = [
    ...asRecords(scenario["assertions"]).map(checkOf),
    ...toolsIn(scenario["expect_tools"]).map((tool) => ({ file: `calls ${tool}`, called: { tool } })),
    ...toolsIn(scenario["reject_tools"]).map((tool) => ({ file: `no ${tool}`, called: { tool, max: 0 } })),
  ];
  const { material, setup } = await setupOf(directory, asRecord(scenario["setup"]) ?? {});
  const rubric = Array.isArray(scenario["rubric"])
    ? scenario["rubric"].flatMap((line) => asText(line)?.trim() || [])
    : [];
  if (checks.length + rubric.length === 0) throw new Unusable("asserts nothing");
  return {
    name,
    title: plainText(asText(scenario["name"]) ?? name).trim() || name,
    origin: `the evals of ${basename(directory)}`,
    form: "skill-eval",
    prompt: `${plainText(prompt)}\n`,
    setup,
    checks,
    reference: null,
    protected: [],
    named: [],
    answer: "with_files",
    ...budgetOf(scenario["timeout"]),
    questions: rubric.map((line) => ({ question: `How well does this hold: ${plainText(line)}` })),
    notes: [{ path: ["arms"], text: "Neither arm has the skill. To measure what it does, give it to one of them." }],
    material,
  };
}

/** Our names for the tools that evals name. */
const TOOLS: Readonly<Record<string, string>> = {
  ...{ bash: "run_command", powershell: "run_command", shell: "run_command" },
  ...{ view: "read_file", read: "read_file", edit: "edit_file", create: "write_file", write: "write_file" },
  ...{ grep: "search_files", glob: "list_files" },
};

const toolsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.flatMap((tool) => asText(tool) ?? []).map((tool) => TOOLS[tool] ?? tool) : [];

function checkOf(assertion: LooseRecord): DraftCheck {
  const type = asText(assertion["type"]) ?? "";
  const [value, path] = [asText(assertion["value"]), asText(assertion["path"])];
  const pattern = asText(assertion["pattern"]);
  const check = answerCheck(type, value, pattern) ?? fileCheck(type, path, value);
  if (check === null) throw new Unusable(`asserts what has no check here: ${cut(type)}`);
  return { file: `${type} ${value ?? pattern ?? path ?? ""}`.replaceAll(/[./]/g, " "), ...check };
}

/** Case does not count, as it does not where these evals come from. */
function answerCheck(type: string, value: string | undefined, pattern: string | undefined): AnswerCheck | null {
  if (type === "exit_success") return answerMatches("\\S");
  if (type === "output_contains" && value) return { answer_contains: value, ignore_case: true };
  if (type === "output_not_contains" && value) return { answer_lacks: value, ignore_case: true };
  if (type === "output_matches" && pattern) return answerMatches(pattern, "i");
  if (type === "output_not_matches" && pattern) return answerLacksPattern(pattern, "i");
  return null;
}

function fileCheck(type: string, path: string | undefined, value: string | undefined): AnswerCheck | null {
  if (!path || !/^file_/.test(type)) return null;
  // A star of find takes slashes, too; depth holds back those of a pattern without a double star.
  const depth = path.includes("**") ? "" : ` -maxdepth ${path.split("/").length}`;
  const find = `find .${depth} -type f -path ${quotedForShell(`./${path.replaceAll("**/", "*").replaceAll("**", "*")}`)}`;
  const holding = `test -n "$(${find} -exec grep -qF -e ${quotedForShell(value ?? "")} {} \\; -print)"`;
  if (type === "file_exists") return { run: `test -n "$(${find})"` };
  if (type === "file_not_exists") return { run: `test -z "$(${find})"` };
  if (type === "file_contains" && value) return { run: holding };
  return type === "file_not_contains" && value ? { run: `! ${holding}` } : null;
}

/** A source may be told from the skill's directory: what follows the name of the evals' own counts. */
function own(source: string | undefined, directory: string): string | undefined {
  const within = `/${basename(directory)}/`;
  return source?.startsWith("../") && source.includes(within)
    ? source.slice(source.lastIndexOf(within) + within.length)
    : source;
}

const SETUP_KEYS = /^(files|commands|copy_test_files)$/;

async function setupOf(directory: string, setup: LooseRecord): Promise<{ material: Material[]; setup: string[] }> {
  const stranger = Object.keys(setup).find((key) => !SETUP_KEYS.test(key));
  if (stranger !== undefined) throw new Unusable(`has a setup that is not known: ${cut(stranger)}`);
  const files = await taskFiles(directory);
  const material = new Map<string, Material>();
  const add = (one: Material) => material.set(one.path, one);
  if (setup["copy_test_files"] === true)
    copied(
      files.filter(({ path }) => path !== SKILL_EVALS_MARKER),
      "fixture",
    ).map(add);
  for (const given of asRecords(setup["files"])) {
    const [path = "", source, text] = ["path", "source", "content"].map((key) => asText(given[key]));
    const fault = workspacePathFault(path);
    if (fault !== null) throw new Unusable(`sets up a path that ${fault}: ${cut(path)}`);
    const [one] = copied(
      files.filter((file) => file.path === own(source, directory)),
      "fixture",
      () => path,
    );
    if (text !== undefined) add({ path: `fixture/${path}`, text });
    else if (one !== undefined) add(one);
    else throw new Unusable(`sets up a file that is not there: ${cut(source ?? path)}`);
  }
  const commands = Array.isArray(setup["commands"]) ? setup["commands"].flatMap((line) => asText(line) ?? []) : [];
  return { material: [...material.values()], setup: commands };
}
