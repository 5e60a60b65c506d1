import { ImageFault } from "../../../arms/image/image-fault.ts";
import { ANSWER_CHARS, SETUP_TIMEOUT_S } from "../../../domain/defaults.ts";
import { sha256 } from "../../../domain/sha256.ts";
import type { ReferenceAnswer, SetupStep, Task, TaskImage } from "../../../domain/task.ts";
import type { Problems } from "../authored/problems.ts";
import type { ImageFile, TaskFile } from "../authored/task-file.ts";
import { Unusable } from "../unusable.ts";
import { attempt, locateFile, type ResolveContext, readNamed, readOnce } from "./context.ts";
import { checkMessages } from "./conversation.ts";
import { resolveDeliverable } from "./deliverable.ts";
import { resolveFixture } from "./fixture-file.ts";
import { resolveProbe } from "./probe.ts";
import { resolveReferenceFix } from "./reference-fix.ts";

/** The image with its digest; of its layers nothing is read. Null after a problem. */
async function resolveImage(context: ResolveContext, authored: ImageFile): Promise<TaskImage | null> {
  const path = ["task", "image"];
  if (typeof authored === "string") return await attempt(context, path, authored, () => imageAt(context, authored));
  const { path: name, digest: given } = authored;
  if (given === undefined) return await attempt(context, [...path, "path"], name, () => imageAt(context, name));
  const digest = given.slice("sha256:".length);
  return await attempt(context, [...path, "path"], name, () => imageAt(context, name, digest));
}

/** One that is called by a digest may lie elsewhere; whoever runs it looks for it. @throws Unusable */
async function imageAt(context: ResolveContext, path: string, wanted?: string): Promise<TaskImage> {
  const place = await locateFile(context, path, "either").catch((error: unknown) => {
    if (wanted !== undefined && error instanceof Unusable && error.message === "does not exist") return undefined;
    throw error;
  });
  if (place === undefined && wanted !== undefined) return { path, digest: wanted };
  const { digest, known_as } = await readOnce(context, "image", path, () => readOrUnusable(place ?? path));
  if (wanted === undefined) return { path, digest };
  if (digest === wanted || known_as.includes(wanted)) return { path, digest: wanted };
  throw new Unusable(`is sha256:${digest}, not the image that \`digest\` names`);
}

async function readOrUnusable(place: string) {
  const { readImage } = await import("../../../arms/image/read-image.ts");
  try {
    return await readImage(place);
  } catch (error) {
    if (error instanceof ImageFault) throw new Unusable(error.message, { cause: error });
    throw error;
  }
}

/** The task with the digests of its files. Meaningless after a problem. */
export async function resolveTask(context: ResolveContext, task: TaskFile): Promise<Task> {
  const { problems } = context;
  if (task.prompt.trim() === "") problems.add(["task", "prompt"], "must not be blank");
  const within = task.image === undefined ? "machine" : "image";
  const fixture = task.fixture === undefined ? null : await resolveFixture(context, task.fixture, within);
  const image = task.image === undefined ? null : await resolveImage(context, task.image);
  const reference_answer = await resolveReferenceAnswer(context, task.reference_answer);
  checkMessages(problems, task.messages);
  checkFollowUps(problems, task.follow_ups);
  return {
    ...(task.messages && { messages: task.messages }),
    prompt: task.prompt,
    ...(task.follow_ups && { follow_ups: task.follow_ups }),
    fixture,
    ...(image && { image }),
    setup: (task.setup ?? []).map(setupStep),
    probe: task.probe === undefined ? null : await resolveProbe(context, task.probe),
    reference_fix: await resolveReferenceFix(context, task.reference_fix, fixture),
    ...(reference_answer && { reference_answer }),
    ...resolveDeliverable(problems, task.deliverable),
  };
}

function checkFollowUps(problems: Problems, follow_ups: TaskFile["follow_ups"] = []): void {
  for (const [index, text] of follow_ups.entries())
    if (text.trim() === "") problems.add(["task", "follow_ups", index], "must not be blank");
}

const setupStep = (step: NonNullable<TaskFile["setup"]>[number]): SetupStep =>
  typeof step === "string"
    ? { run: step, timeout_s: SETUP_TIMEOUT_S }
    : { run: step.run, timeout_s: step.timeout_s ?? SETUP_TIMEOUT_S };

/** The known answer; null when there is none, or after a problem. */
async function resolveReferenceAnswer(
  context: ResolveContext,
  authored: TaskFile["reference_answer"],
): Promise<ReferenceAnswer | null> {
  if (authored === undefined) return null;
  const path = ["task", "reference_answer"];
  const text =
    typeof authored === "string"
      ? authored
      : await attempt(context, [...path, "file"], authored.file, () => readNamed(context, authored.file, ANSWER_CHARS));
  if (text === null) return null;
  if (text.trim() === "") context.problems.add(path, "must not be blank");
  else if (text.length > ANSWER_CHARS) context.problems.add(path, `is longer than ${ANSWER_CHARS} characters`);
  else return { text, digest: sha256(text) };
  return null;
}
