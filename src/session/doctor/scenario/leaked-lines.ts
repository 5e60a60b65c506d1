import { type Check, pass, warn } from "../check.ts";
import { without } from "./fixture.ts";
import { type FilePatch, filePatches } from "./patch.ts";
import type { Trial } from "./trial.ts";
import { tellingLines, type VisibleText, visibleTexts } from "./visible-text.ts";

/** Leaks that are named; more of them say no more. */
const NAMED = 5;

/** A fix that stands where an arm can read it is copied, not found. */
export const leakedLines: Check<Trial> = {
  id: "leak.reference_lines",
  title: "No line of the reference is visible",
  needs: ["fixture.files"],
  async run({ pristine, loaded }) {
    const { definition } = loaded;
    if (definition.task.reference_fix === null) return without("reference_fix");
    const patches = filePatches(definition.task.reference_fix);
    const visible = await visibleTexts(pristine, definition);
    const own = linesOfReference(patches, visible);
    const touched = new Set(patches.map(({ path }) => path));
    const whole = definition.task.reference_fix.patch.trim();
    const leaks = visible
      .filter(({ path }) => path === null || !touched.has(path))
      .flatMap((text) =>
        text.text.includes(whole)
          ? [`${text.name}: the whole reference`]
          : sharedLines(text, own).map((line) => `${text.name}: ${line}`),
      );
    return leaks.length === 0
      ? pass(`${own.size} lines looked for in ${visible.length} texts`)
      : warn(leaks.slice(0, NAMED).join("\n"), "take these lines out of what the arms see, if they give the fix away");
  },
};

/** Lines that only the reference has: what it moves, or repeats of the files that it changes, is known to the arms anyway. */
function linesOfReference(patches: readonly FilePatch[], visible: readonly VisibleText[]): ReadonlySet<string> {
  const touched = visible.filter(({ path }) => patches.some((patch) => patch.path === path));
  const known = tellingLines(
    [...patches.flatMap(({ removed }) => removed), ...touched.map(({ text }) => text)].join("\n"),
  );
  return tellingLines(patches.flatMap(({ added }) => added).join("\n")).difference(known);
}

/** In a prompt a line of code often stands within a sentence. */
const sharedLines = ({ path, text, lines }: VisibleText, own: ReadonlySet<string>): readonly string[] =>
  path === null ? [...own].filter((line) => text.includes(line)) : [...own.intersection(lines)];
