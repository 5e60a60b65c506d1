import { counted } from "../../../domain/counted.ts";
import { type FilePatch, linesOfPatch, pathOfPatch, readPatch } from "../../../domain/patch.ts";
import { type Check, pass, skip, warn } from "../check.ts";
import { IDLE } from "../idle.ts";
import type { DryRun } from "./dry-run.ts";
import { tellingLines, type VisibleText, visibleTexts } from "./visible-text.ts";

/** Leaks that are named; more of them say no more. */
const NAMED = 5;

/** An arm that can read the fix copies it. */
export const leakedLines: Check<DryRun> = {
  id: "leak.reference_lines",
  title: "No line of the reference is visible",
  needs: ["fixture.files"],
  async run({ pristine, loaded }) {
    const { definition } = loaded;
    if (definition.task.reference_fix === null) return skip(IDLE.no_reference);
    const patches = readPatch(definition.task.reference_fix.patch);
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
      ? pass(`${counted(own.size, "line")} looked for in ${counted(visible.length, "text")}`)
      : warn(leaks.slice(0, NAMED).join("\n"), "take these lines out of what the arms see, if they give the fix away");
  },
};

/** Lines that only the reference has. Arms know the lines that it moves, and those of the files that it changes. */
function linesOfReference(patches: readonly FilePatch[], touched: readonly VisibleText[]): ReadonlySet<string> {
  const marked = (mark: "+" | "-") => patches.flatMap((patch) => linesOfPatch(patch, mark));
  const known = tellingLines([...marked("-"), ...touched.map(({ text }) => text)].join("\n"));
  return tellingLines(marked("+").join("\n")).difference(known);
}

/** In a prompt a line of code often stands within a sentence. */
const sharedLines = ({ path, text, lines }: VisibleText, own: ReadonlySet<string>): readonly string[] =>
  path === null ? [...own].filter((line) => text.includes(line)) : [...own.intersection(lines)];
