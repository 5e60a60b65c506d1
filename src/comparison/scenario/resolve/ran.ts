import { stat } from "node:fs/promises";
import { LogFault, readLog } from "../../../arms/imported/read-log.ts";
import { ANSWER_CHARS, PATCH_BYTES } from "../../../domain/defaults.ts";
import type { NamedFile, Ran } from "../../../domain/ran.ts";
import { sha256 } from "../../../domain/sha256.ts";
import { refuseShortage } from "../../../domain/shortage.ts";
import type { ArmFile, RanFile } from "../authored/arm-file.ts";
import type { FieldPath, Problems } from "../authored/problems.ts";
import { confinedPath } from "../confined-path.ts";
import { readDigested } from "../read-text.ts";
import { Unusable, unusable } from "../unusable.ts";
import { attempt, locateFile, type ResolveContext } from "./context.ts";
import { resolveFileSet } from "./file-set.ts";
import { checkPatch } from "./reference-fix.ts";

/** A run that was made elsewhere, and what its arm is called after. */
interface ResolvedRan {
  readonly ran: Ran;
  /** `imported/<name or unknown>` */
  readonly model: string;
}

/** Reads everything that the run names, so that what cannot be used is said before anything is paid. Meaningless after a problem. */
export async function resolveRan(context: ResolveContext, index: number, authored: RanFile): Promise<ResolvedRan> {
  const path = ["arms", index, "ran"];
  const { log, change, answer, usage } = authored;
  if (log === undefined && change === undefined && answer === undefined)
    context.problems.add(path, "needs `log`, `change` or `answer`: there is nothing to judge without");
  const read = log === undefined ? undefined : await logAt(context, [...path, "log"], log);
  const changed = change === undefined ? {} : await changeAt(context, [...path, "change"], change);
  const told = answer === undefined ? undefined : await answerAt(context, [...path, "answer"], answer);
  return {
    ran: {
      ...(read && { log: read.file }),
      ...changed,
      ...(told !== undefined && { answer: told }),
      ...(usage && { usage }),
    },
    model: `imported/${modelName(read?.model ?? null)}`,
  };
}

/** A name that can stand behind a slash; a log may hold any text there. */
const modelName = (model: string | null): string =>
  model !== null && /^[\w.:/@+-]{1,200}$/.test(model) ? model : "unknown";

/** What belongs to an arm that runs. */
const OF_RUNNING_ARMS = [
  ...[
    "extends",
    "model",
    "prompt",
    "system_prompt",
    "system_prompt_file",
    "tools",
    "agent",
    "files",
    "mcp",
    "params",
    "limits",
  ],
  ...["script", "scripts", "endpoint", "program"],
] as const;

/** Adds a problem for each field that would silently do nothing. */
export function checkRanFields(problems: Problems, index: number, own: ArmFile, arm: ArmFile): void {
  if (own.ran === undefined && arm.ran !== undefined)
    problems.add(
      ["arms", index, "extends"],
      "brings `ran`: an arm that runs cannot start from a run that was made elsewhere",
    );
  if (own.ran === undefined) return;
  for (const field of OF_RUNNING_ARMS)
    if (Reflect.get(own, field) !== undefined)
      problems.add(["arms", index, field], "does nothing in an arm with `ran`, which ran elsewhere; take it out");
}

const isTemplate = ({ template }: ResolveContext, text: string) => template === true && /\{\{[^{}]*\}\}/.test(text);

/** A file that only a row of the inputs names. */
const unnamed = (file: string): NamedFile => ({ file, digest: sha256("") });

async function logAt(context: ResolveContext, path: FieldPath, file: string) {
  if (isTemplate(context, file)) return { file: unnamed(file), model: null };
  return (
    (await attempt(context, path, file, async () => {
      const real = await locateFile(context, file, "file");
      const { digest, model } = await readLog(real).catch((error: unknown) => Promise.reject(asUnusable(error)));
      return { file: { file, digest }, model };
    })) ?? undefined
  );
}

const asUnusable = (error: unknown) => (error instanceof LogFault ? new Unusable(error.message) : unusable(error));

async function changeAt(
  context: ResolveContext,
  path: FieldPath,
  change: string,
): Promise<Pick<Ran, "patch" | "files">> {
  if (isTemplate(context, change)) return { patch: unnamed(change) };
  if (await isDirectory(context, change))
    return { files: await resolveFileSet(context, { dir: change, dirPath: path, files: undefined, filesPath: path }) };
  const patch = await attempt(context, path, change, async () => {
    const { text, digest } = await readDigested(await locateFile(context, change, "file"), PATCH_BYTES);
    // An agent that changed nothing leaves an empty diff.
    if (text.trim() !== "") await checkPatch(text);
    return { file: change, digest };
  });
  return patch ? { patch } : {};
}

/** False also for what cannot be used: it is said when it is read. */
async function isDirectory({ root }: ResolveContext, path: string): Promise<boolean> {
  const real = await confinedPath(root, path, "directory").catch((error: unknown) => refuseShortage(error) ?? null);
  return real !== null && (await stat(real)).isDirectory();
}

async function answerAt(context: ResolveContext, path: FieldPath, answer: NonNullable<RanFile["answer"]>) {
  if (typeof answer !== "string") {
    if (answer.text.length <= ANSWER_CHARS) return answer.text;
    context.problems.add([...path, "text"], `is longer than ${ANSWER_CHARS} characters`);
    return undefined;
  }
  if (isTemplate(context, answer)) return unnamed(answer);
  const read = await attempt(context, path, answer, async () => {
    const { text, digest } = await readDigested(await locateFile(context, answer, "file"), ANSWER_CHARS * 4);
    if (text.length > ANSWER_CHARS) throw new Unusable(`is longer than ${ANSWER_CHARS} characters`);
    return { file: answer, digest };
  });
  return read ?? undefined;
}
