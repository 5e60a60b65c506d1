import { ImageFault } from "../../../arms/image/image-fault.ts";
import { recipeOf } from "../../../arms/recipe/recipes.ts";
import { isAnswering } from "../../../domain/answering.ts";
import { type Arm, canOnlyRead } from "../../../domain/arm.ts";
import { ANSWER_CHARS, SETUP_TIMEOUT_S } from "../../../domain/defaults.ts";
import { EVERYTHING } from "../../../domain/equal-work.ts";
import { sha256 } from "../../../domain/sha256.ts";
import type { ReferenceAnswer, SetupStep, Task, TaskImage } from "../../../domain/task.ts";
import type { Problems } from "../authored/problems.ts";
import type { ImageFile, TaskFile } from "../authored/task-file.ts";
import { Unusable } from "../unusable.ts";
import { attempt, locateFile, type ResolveContext, readNamed, readOnce } from "./context.ts";
import { resolveFixture } from "./fixture-file.ts";
import { checkPathGlobs } from "./globs.ts";
import { resolveProbe } from "./probe.ts";
import { askedOf } from "./prompts.ts";
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
  const within = task.image === undefined ? "machine" : "image";
  const fixture = task.fixture === undefined ? null : await resolveFixture(context, task.fixture, within);
  const image = task.image === undefined ? null : await resolveImage(context, task.image);
  const reference_answer = await resolveReferenceAnswer(context, task.reference_answer);
  checkMessages(problems, task.messages);
  checkFollowUps(problems, task.follow_ups);
  return {
    ...(task.messages && { messages: task.messages }),
    ...askedOf(task),
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

/** The first message is the user's: there are providers that refuse any other. */
function checkMessages(problems: Problems, messages: TaskFile["messages"] = []): void {
  const path = ["task", "messages"];
  for (const [index, { text }] of messages.entries())
    if (text.trim() === "") problems.add([...path, index, "text"], "must not be blank");
  const expected = (index: number) => (index % 2 === 0 ? "user" : "assistant");
  const wrong = messages.findIndex(({ role }, index) => role !== expected(index));
  if (wrong !== -1)
    problems.add(
      [...path, wrong, "role"],
      `expected ${expected(wrong)}: ${wrong === 0 ? "the first message is the user's" : "user and assistant take turns"}`,
    );
  else if (messages.length % 2 === 1)
    problems.add(
      [...path, messages.length - 1],
      "the last message must be the assistant's; what the user says then is `prompt`",
    );
}

/** What is said before the prompt goes to our own loop alone; some agents of others go on with a conversation of theirs. */
export function checkListeners(problems: Problems, { messages, follow_ups }: Task, arms: readonly Arm[]): void {
  for (const [index, { agent, id }] of arms.entries()) {
    if (agent === undefined) continue;
    const { title, goes_on } = recipeOf(agent);
    const path = ["arms", index, "agent"];
    if (messages)
      problems.add(
        path,
        `arm "${id}" is an external agent, which cannot be told task.messages; write them into task.prompt`,
      );
    if (follow_ups && !goes_on)
      problems.add(
        path,
        `arm "${id}": ${title} cannot go on with a conversation, which task.follow_ups need; leave them out, or take ${GO_ON}`,
      );
  }
}

const GO_ON = "an arm without `agent`, claude-code or codex";

type Deliverable = Pick<Task, "deliverable" | "answer">;

const ANSWER: Deliverable = { deliverable: [], answer: true };

/** What counts as the work. Left out: every file, until the arms are known. */
function resolveDeliverable(problems: Problems, authored: TaskFile["deliverable"]): Deliverable {
  if (authored === undefined) return { deliverable: EVERYTHING as string[] };
  if (authored === "answer") return ANSWER;
  const files = Array.isArray(authored) ? authored : (authored.files ?? []);
  const path = ["task", "deliverable", ...(Array.isArray(authored) ? [] : ["files"])];
  checkPathGlobs(problems, path, files);
  if (Array.isArray(authored) && files.length === 0)
    problems.add(path, "with an empty list no change counts; leave it out to count everything, or write `answer`");
  return { deliverable: files, ...(!Array.isArray(authored) && { answer: true as const }) };
}

/** The task of a file that does not say what the work is: where no arm can write, or one does nothing but answer, it is the answer. */
export const withAnswer = (task: Task, arms: readonly Arm[]): Task =>
  arms.every(canOnlyRead) || arms.some(isAnswering) ? { ...task, ...ANSWER } : task;
