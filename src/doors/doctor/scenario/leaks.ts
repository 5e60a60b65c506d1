import { basename } from "node:path";
import type { Pristine } from "../../../arms/workspace/workspace.ts";
import type { LoadedScenario } from "../../../comparison/scenario/loaded-scenario.ts";
import { listMaterial, type MaterialSource, probeSource, sourceOf } from "../../../comparison/scenario/materials.ts";
import { readText } from "../../../comparison/scenario/read-text.ts";
import { Unusable } from "../../../comparison/scenario/unusable.ts";
import { counted } from "../../../domain/number-text.ts";
import { type FilePatch, linesOfPatch, pathOfPatch, readingPatch } from "../../../domain/patch.ts";
import type { Scenario } from "../../../domain/scenario.ts";
import { saidTo } from "../../../domain/task.ts";
import { steadily } from "../../../runtime/pace.ts";
import { after, type Check, fail, IDLE, pass, skip, warn, withoutFix } from "../check.ts";
import type { DryRun } from "./dry-run.ts";

/** A file that has this share of a hidden file's telling lines is a copy of it. */
const COPY_SHARE = 0.8;

/** An arm that can read the hidden checks may work for them and not for the task. */
const leakedFiles = after("fixture.files")(
  "leak.hidden_files",
  "No hidden file is visible",
  async ({ pristine, loaded }: DryRun) => {
    const [hidden, exposed] = await Promise.all([hiddenFiles(loaded), loaded.findExposed?.() ?? []]);
    const texts = [...(await visibleTexts(pristine, loaded.definition)), ...(await ownTexts(loaded))];
    const visible = texts.filter((text) => !isScenario(loaded, text));
    const read = new Set([
      ...exposed.flatMap(({ found }) => found),
      ...hidden.flatMap((file) => copiesOf(file, visible)),
    ]);
    const leaks = [...new Set([...read, ...hidden.flatMap((file) => mentionsOf(file, visible))])].join("\n");
    const hint = exposed.length > 0 ? exposed.map(({ mend }) => mend).join("\n") : HINT;
    // An arm that is told a name knows less than one that reads the file.
    if (leaks !== "") return read.size > 0 ? fail(leaks, hint) : warn(leaks, hint);
    if (loaded.definition.task.probe === null) return skip(IDLE.no_probe);
    return hidden.length === 0
      ? pass(IDLE.no_hidden)
      : pass(`searched ${counted(visible.length, "text")} for ${counted(hidden.length, "file")}`);
  },
);

const HINT = "keep hidden files out of the fixture, the prompts and the arms' own files";

/** The scenario file, which holds checks and rubric. Another file may have its name, but not these parts. */
const isScenario = ({ file }: LoadedScenario, { path, text }: VisibleText): boolean =>
  path !== null && basename(path) === basename(file) && ["task", "arms", "rubric"].every((part) => text.includes(part));

const canBeRead = (path: string, name: string) => `${path} can be read in ${name}`;

/** A hidden file may replace a visible one and share lines with it, so only an equal text is a leak there. */
function copiesOf({ path, text }: HiddenFile, visible: readonly VisibleText[]): readonly string[] {
  const lines = tellingLines(text);
  const isCopy = (shown: VisibleText) =>
    shown.path === path ? shown.text === text : lines.intersection(shown.lines).size >= COPY_SHARE * lines.size;
  // A fixture may well have a short file of the same text; what is given to an arm by itself is no chance.
  const isGiven = (shown: VisibleText) => shown.path === null && text !== "" && shown.text === text;
  return visible
    .filter((shown) => isGiven(shown) || (lines.size > 0 && isCopy(shown)))
    .map(({ name }) => canBeRead(path, name));
}

/** The name of a hidden file tells an arm what is checked, unless the fixture has a file of that name. */
function mentionsOf({ path }: HiddenFile, visible: readonly VisibleText[]): readonly string[] {
  if (visible.some((shown) => shown.path === path)) return [];
  const whole = new RegExp(`(?<![\\w./-])${RegExp.escape(path)}(?![\\w-])`);
  return visible.filter(({ text }) => whole.test(text)).map(({ name }) => `${path} is named in ${name}`);
}

/** The leaks that are named. */
const NAMED = 5;

/** An arm that can read the fix copies it. */
const leakedLines = after("fixture.files")(
  "leak.reference_lines",
  "No line of the reference is visible",
  async ({ pristine, loaded }: DryRun) => {
    const { definition } = loaded;
    if (definition.task.reference_fix === null) return withoutFix(definition.task);
    const patches = await steadily(readingPatch(definition.task.reference_fix.patch));
    const touched = new Set<string | null>(patches.map(pathOfPatch));
    const visible = await visibleTexts(pristine, definition);
    const own = linesOfReference(
      patches,
      visible.filter(({ path }) => touched.has(path)),
    );
    const whole = definition.task.reference_fix.patch.trim();
    const leaks = visible
      .filter(({ path }) => !touched.has(path))
      .flatMap((text) =>
        text.text.includes(whole)
          ? [`${text.name}: the whole reference`]
          : sharedLines(text, own).map((line) => `${text.name}: ${line}`),
      );
    return leaks.length === 0
      ? pass(`searched ${counted(visible.length, "text")} for ${counted(own.size, "line")}`)
      : warn(leaks.slice(0, NAMED).join("\n"), "remove these lines from what the arms see, if they reveal the fix");
  },
);

/** Lines that only the reference has. Arms know the lines that it moves, and those of the files that it changes. */
function linesOfReference(patches: readonly FilePatch[], touched: readonly VisibleText[]): ReadonlySet<string> {
  const marked = (mark: "+" | "-") => patches.flatMap((patch) => linesOfPatch(patch, mark));
  const known = tellingLines([...marked("-"), ...touched.map(({ text }) => text)].join("\n"));
  return tellingLines(marked("+").join("\n")).difference(known);
}

/** A prompt often holds a line of code inside a sentence. */
const sharedLines = ({ path, text, lines }: VisibleText, own: ReadonlySet<string>): readonly string[] =>
  path === null ? [...own].filter((line) => text.includes(line)) : [...own.intersection(lines)];

/** Something that an arm reads or can read. */
interface VisibleText {
  /** A path of the fixture; null for a prompt. */
  readonly path: string | null;
  /** Its readable name. */
  readonly name: string;
  readonly text: string;
  /** Its telling lines. */
  readonly lines: ReadonlySet<string>;
}

/** Bytes of one file, and of all files, that are searched. Source code is smaller. */
const FILE_BYTES = 1_000_000;
const ALL_BYTES = 32_000_000;

/** The prompts and the text files of the fixture, without those of dependencies. */
async function visibleTexts(pristine: Pristine, { task, arms }: Scenario): Promise<readonly VisibleText[]> {
  const prompts = [
    ...saidTo(task, arms).map(({ name, text }) => visible(null, name, text)),
    ...arms.map(({ id, system_prompt }) => visible(null, `the system prompt of ${id}`, system_prompt)),
  ];
  const files: VisibleText[] = [];
  let bytes = 0;
  for (const { path, size } of await pristine.list()) {
    if (size > FILE_BYTES || bytes + size > ALL_BYTES || /(^|\/)(node_modules|\.git)\//.test(path)) continue;
    const text = await pristine.text(path);
    if (text === null) continue;
    bytes += size;
    files.push(visible(path, path, text));
  }
  return [...prompts, ...files];
}

/** What each arm alone is given: its files in the workspace, skills among them, and in its agent's home. Those of a commit are not looked at. */
async function ownTexts({ definition, directory }: LoadedScenario): Promise<readonly VisibleText[]> {
  const texts: VisibleText[] = [];
  for (const { id, files, agent } of definition.arms)
    for (const set of [files, agent?.files]) {
      if (!set) continue;
      for (const { path, text } of await textsOf(sourceOf(directory, set)))
        texts.push(visible(null, `${path} of ${id}`, text));
    }
  return texts;
}

const visible = (path: string | null, name: string, text: string) => ({ path, name, text, lines: tellingLines(text) });

/** Shorter lines are brackets and common phrases, which stand in many files. */
const TELLING_CHARS = 20;

/** The lines that tell which file they come from, without indentation and a diff's mark. */
const tellingLines = (text: string): ReadonlySet<string> =>
  new Set(
    text
      .split("\n")
      .map(bare)
      .filter((line) => line.length >= TELLING_CHARS),
  );

const bare = (line: string) => line.replace(/^[+-]/, "").trim();

export const leakChecks: readonly Check<DryRun>[] = [leakedFiles, leakedLines];

interface HiddenFile {
  readonly path: string;
  readonly text: string;
}

/** Bytes of a hidden file whose text is compared; a test is smaller. */
const HIDDEN_BYTES = 1_000_000;

/** The files that a probe lays over the work. */
export const hiddenFiles = (loaded: LoadedScenario): Promise<readonly HiddenFile[]> => textsOf(probeSource(loaded));

/** Files with their texts. A large one, and one that is no text, has the empty text. */
async function textsOf({ dir, files }: MaterialSource): Promise<readonly HiddenFile[]> {
  const below = dir === null ? [] : await listMaterial(dir);
  const found: HiddenFile[] = [];
  for (const { path, absolute, stats } of below)
    if (stats.isFile() && !Object.hasOwn(files, path))
      found.push({ path, text: stats.size > HIDDEN_BYTES ? "" : ((await textOf(absolute)) ?? "") });
  return [...found, ...Object.entries(files).map(([path, text]) => ({ path, text }))];
}

async function textOf(path: string): Promise<string | null> {
  try {
    return await readText(path, HIDDEN_BYTES);
  } catch (error) {
    if (error instanceof Unusable) return null;
    throw error;
  }
}
