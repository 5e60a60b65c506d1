import type { LoadedScenario } from "../../../scenario/loaded-scenario.ts";
import { listMaterial, probeSource } from "../../../scenario/materials.ts";
import { readText } from "../../../scenario/read-text.ts";
import { Unusable } from "../../../scenario/unusable.ts";
import { type Check, pass, warn } from "../check.ts";
import { without } from "./fixture.ts";
import type { Trial } from "./trial.ts";
import { tellingLines, type VisibleText, visibleTexts } from "./visible-text.ts";

interface HiddenFile {
  readonly path: string;
  readonly text: string;
}

/** Share of a hidden file's telling lines from which on another file counts as a copy of it. */
const COPY_SHARE = 0.8;

/** Bytes of a hidden file that is looked at; a test is smaller. */
const HIDDEN_BYTES = 1_000_000;

/** An arm that knows the hidden checks works for them and not for the task. */
export const leakedFiles: Check<Trial> = {
  id: "leak.hidden_files",
  title: "No hidden file is visible",
  needs: ["fixture.files"],
  async run({ pristine, loaded }) {
    if (loaded.definition.task.probe === null) return without("probe");
    const hidden = await hiddenFiles(loaded);
    const visible = await visibleTexts(pristine, loaded.definition);
    const leaks = hidden.flatMap((file) => [...copiesOf(file, visible), ...mentionsOf(file, visible)]);
    return leaks.length === 0
      ? pass(`${hidden.length} files looked for in ${visible.length} texts`)
      : warn(leaks.join("\n"), "keep hidden files out of the fixture and out of the prompts");
  },
};

async function hiddenFiles(loaded: LoadedScenario): Promise<readonly HiddenFile[]> {
  const { dir, files } = probeSource(loaded);
  const below = dir === null ? [] : await listMaterial(dir);
  const found: HiddenFile[] = [];
  for (const { path, absolute, stats } of below)
    if (stats.isFile() && stats.size <= HIDDEN_BYTES && !Object.hasOwn(files, path))
      found.push({ path, text: (await textOf(absolute)) ?? "" });
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

/** A hidden file laid over a visible one of the same name may share lines with it: only the same text again is a leak. */
function copiesOf({ path, text }: HiddenFile, visible: readonly VisibleText[]): readonly string[] {
  const lines = tellingLines(text);
  if (lines.size === 0) return [];
  return visible
    .filter((shown) =>
      shown.path === path ? shown.text === text : lines.intersection(shown.lines).size >= COPY_SHARE * lines.size,
    )
    .map(({ name }) => `${path} can be read in ${name}`);
}

/** The name alone tells an arm what will be asked of it; unless the fixture has a file of that name. */
function mentionsOf({ path }: HiddenFile, visible: readonly VisibleText[]): readonly string[] {
  if (visible.some((shown) => shown.path === path)) return [];
  const whole = new RegExp(`(?<![\\w./-])${RegExp.escape(path)}(?![\\w-])`);
  return visible.filter(({ text }) => whole.test(text)).map(({ name }) => `${path} is named in ${name}`);
}
