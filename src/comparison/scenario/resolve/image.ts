import { ImageFault } from "../../../arms/image/image-fault.ts";
import type { TaskImage } from "../../../domain/task.ts";
import type { ImageFile } from "../authored/task-file.ts";
import { Unusable } from "../unusable.ts";
import { attempt, locateFile, type ResolveContext, readOnce } from "./context.ts";

/** The image with its digest; of its layers nothing is read. Null after a problem. */
export async function resolveImage(context: ResolveContext, authored: ImageFile): Promise<TaskImage | null> {
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
