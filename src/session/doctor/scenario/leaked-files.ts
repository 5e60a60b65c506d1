import type { LoadedScenario } from "../../../scenario/loaded-scenario.ts";
import { listMaterial, probeSource } from "../../../scenario/materials.ts";
import { readText } from "../../../scenario/read-text.ts";
import { Unusable } from "../../../scenario/unusable.ts";
import { type Check, pass, warn } from "../check.ts";
import { without } from "./fixture.ts";
import { type OwnPlaces, ownPlaces } from "./own-files.ts";
import type { Trial } from "./trial.ts";
import { tellingLines, type VisibleText, visibleTexts } from "./visible-text.ts";

interface HiddenFile {
  readonly path: string;
  readonly text: string;
}

/** Share of a hidden file's telling lines from which on another file counts as a copy of it. */
const COPY_SHARE = 0.8;

/** Bytes of a hidden file whose text is compared; a test is smaller. */
const HIDDEN_BYTES = 1_000_000;

/** An arm that knows the hidden checks works for them and not for the task. */
export const leakedFiles: Check<Trial> = {
  id: "leak.hidden_files",
  title: "No hidden file is visible",
  needs: ["fixture.files"],
  async run({ pristine, loaded }) {
    const { task } = loaded.definition;
    const hidden = await hiddenFiles(loaded);
    const places = await ownPlaces(loaded);
    const texts = await visibleTexts(pristine, loaded.definition);
    const [scenarios, visible] = [texts.filter(isScenario(places)), texts.filter((text) => !isScenario(places)(text))];
    const paths = new Set((await pristine.list()).map(({ path }) => path));
    const leaks = new Set([
      ...scenarios.map(({ name }) => `the scenario file can be read in ${name}`),
      ...hidden.flatMap((file) => [...placesAmong(file, places, paths), ...copiesOf(file, visible)]),
      ...hidden.flatMap((file) => mentionsOf(file, visible)),
    ]);
    if (leaks.size > 0) return warn([...leaks].join("\n"), task.fixture?.git === undefined ? HINT : GIT_HINT);
    return task.probe === null
      ? without("probe")
      : pass(`${hidden.length} files looked for in ${visible.length} texts`);
  },
};

const HINT = "keep hidden files out of the fixture and out of the prompts";
const GIT_HINT = `${HINT}: take a commit from before them, or a \`path\` beside them`;

/** With its checks, its rubric and whatever else is not for arms. Another file can have its name, but not its parts. */
const isScenario =
  ({ scenario }: OwnPlaces) =>
  ({ path, text }: VisibleText): boolean =>
    path !== null && scenario.includes(path) && ["task", "arms", "rubric"].every((part) => text.includes(part));

const canBeRead = (path: string, name: string) => `${path} can be read in ${name}`;

const placesAmong = ({ path }: HiddenFile, { probe }: OwnPlaces, paths: ReadonlySet<string>): readonly string[] =>
  probe(path)
    .filter((place) => paths.has(place))
    .map((place) => canBeRead(path, place));

async function hiddenFiles(loaded: LoadedScenario): Promise<readonly HiddenFile[]> {
  const { dir, files } = probeSource(loaded);
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

/** A hidden file laid over a visible one of the same name may share lines with it: only the same text again is a leak. */
function copiesOf({ path, text }: HiddenFile, visible: readonly VisibleText[]): readonly string[] {
  const lines = tellingLines(text);
  if (lines.size === 0) return [];
  return visible
    .filter((shown) =>
      shown.path === path ? shown.text === text : lines.intersection(shown.lines).size >= COPY_SHARE * lines.size,
    )
    .map(({ name }) => canBeRead(path, name));
}

/** The name alone tells an arm what will be asked of it; unless the fixture has a file of that name. */
function mentionsOf({ path }: HiddenFile, visible: readonly VisibleText[]): readonly string[] {
  if (visible.some((shown) => shown.path === path)) return [];
  const whole = new RegExp(`(?<![\\w./-])${RegExp.escape(path)}(?![\\w-])`);
  return visible.filter(({ text }) => whole.test(text)).map(({ name }) => `${path} is named in ${name}`);
}
