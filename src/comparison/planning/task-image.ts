import { readdir } from "node:fs/promises";
import { join, posix } from "node:path";
import type { Image } from "../../arms/image/read-image.ts";
import { sandboxOwner } from "../../arms/sandbox/temp-dir.ts";
import type { OpenedImage, WorkspacePlaces } from "../../arms/workspace/workspace.ts";
import { Failure } from "../../domain/failure.ts";
import { coverEachOther, mountPointFault, WORKSPACE_AT } from "../../domain/mount-point.ts";
import { refuseShortage } from "../../domain/shortage.ts";
import type { TaskImage } from "../../domain/task.ts";
import { confinedPath } from "../scenario/confined-path.ts";
import { fixturePlaces } from "../scenario/fixture-source.ts";
import type { LoadedScenario } from "../scenario/loaded-scenario.ts";
import { Unusable } from "../scenario/unusable.ts";
import { isAgentArm } from "./agent-runner.ts";
import type { SessionServices } from "./services.ts";

type ImageServices = Pick<SessionServices, "images_dir" | "image_cache" | "clock">;

/**
 * Where the workspaces of a scenario are mounted, and in what. Of an image only what it says of itself is read.
 * @throws Failure `invalid_request` for an image that is not there, or cannot be used
 */
export async function workspacePlaces(
  services: ImageServices,
  loaded: LoadedScenario,
): Promise<WorkspacePlaces | undefined> {
  const places = fixturePlaces(loaded);
  const { image: named } = loaded.definition.task;
  if (named === undefined) return places;
  const image = await findImage(services, loaded, named);
  const at = places?.at ?? workingDirectory(image, named);
  const covered = [...(places?.also?.keys() ?? [])].find((place) => coverEachOther(place, at));
  if (covered !== undefined)
    throw new Failure("invalid_request", `task.fixture.also: ${covered} and the workspace at ${at} cover each other`);
  return { also: new Map(), ...places, at, image: (signal) => opened(services, loaded, { image, named, at, signal }) };
}

/** Beside the scenario file, or else by its digest among the images of this machine. */
async function findImage(
  { images_dir }: ImageServices,
  { directory }: LoadedScenario,
  { path, digest }: TaskImage,
): Promise<Image> {
  const { readImage } = await import("../../arms/image/read-image.ts");
  const beside = await confinedPath(directory, path, "either").catch(Unusable.or(undefined));
  const refuse = (why: string) => new Failure("invalid_request", `task.image: ${path} ${why}`);
  if (beside === undefined) {
    const found = images_dir === undefined ? undefined : (await imagesIn(images_dir)).find(isCalled(digest));
    if (found) return found;
    const elsewhere =
      images_dir === undefined ? "and there is no --images-dir" : `nor is sha256:${digest} in --images-dir`;
    throw refuse(`is not beside the scenario file, ${elsewhere}`);
  }
  const image = await orRefused(named(path), "invalid_request", () => readImage(beside));
  if (isCalled(digest)(image)) return image;
  throw refuse(`has changed: it is sha256:${image.digest}, and sha256:${digest} was asked for`);
}

const isCalled =
  (digest: string) =>
  ({ digest: own, known_as }: Image): boolean =>
    own === digest || known_as.includes(digest);

/** An image and the file or directory that it is. */
interface LyingImage extends Image {
  readonly file: string;
}

/** The images that lie in a directory, each as a layout or an archive of its own. What is none is passed over. */
export async function imagesIn(directory: string): Promise<readonly LyingImage[]> {
  const { readImage } = await import("../../arms/image/read-image.ts");
  const { ImageFault } = await import("../../arms/image/image-fault.ts");
  const names = await readdir(directory).catch((error: unknown) => refuseShortage(error) ?? []);
  const images: LyingImage[] = [];
  for (const name of names.toSorted()) {
    try {
      images.push({ ...(await readImage(join(directory, name))), file: name });
    } catch (error) {
      if (!(error instanceof ImageFault)) throw error;
    }
  }
  return images;
}

/** Where an image says that one works. @throws Failure `invalid_request` */
function workingDirectory({ working_directory }: Image, { path }: TaskImage): string {
  const at = posix.join("/", working_directory).replace(/\/$/, "");
  if (at === "") return WORKSPACE_AT;
  const fault = mountPointFault(at, "image");
  if (fault === null) return at;
  throw new Failure(
    "invalid_request",
    `task.image: ${path}: its working directory ${at} cannot be the workspace: it ${fault}; give another as fixture.at`,
  );
}

interface Wanted {
  readonly image: Image;
  readonly named: TaskImage;
  readonly at: string;
  readonly signal: AbortSignal;
}

/** Dynamic linkers of glibc. Those who start an agent need it. */
const GLIBC = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"];

async function opened(
  { image_cache, clock }: ImageServices,
  { definition }: LoadedScenario,
  { image, named: { path }, at, signal }: Wanted,
): Promise<OpenedImage> {
  if (image_cache === undefined) throw new Failure("internal", "nobody said where images are unpacked");
  const { unpackImage } = await import("../../arms/image/unpack-image.ts");
  const { findInRoot, imageUser, shellFault } = await import("../../arms/image/image-root.ts");
  return await orRefused(named(path), "workspace_failed", async () => {
    const cache = { directory: image_cache, owner: sandboxOwner(), now: clock.now() };
    const directory = await unpackImage(image, cache, signal);
    const fault = shellFault(directory);
    if (fault !== null) throw new Failure("workspace_failed", `${named(path)} ${fault}`);
    if (definition.arms.some(isAgentArm) && !GLIBC.some((loader) => findInRoot(directory, loader)))
      throw new Failure("workspace_failed", `${named(path)} has no glibc, and agents of others are started with it`);
    const work = findInRoot(directory, at);
    const root = { directory, user: imageUser(directory, image.user), environment: image.environment };
    return { root, work: work?.stats.isDirectory() ? work.path : null };
  });
}

const named = (path: string) => `task.image: ${path}`;

async function orRefused<T>(
  what: string,
  code: "invalid_request" | "workspace_failed",
  use: () => Promise<T>,
): Promise<T> {
  const { ImageFault } = await import("../../arms/image/image-fault.ts");
  try {
    return await use();
  } catch (error) {
    if (!(error instanceof ImageFault)) throw error;
    throw new Failure(code, `${what} ${error.message}`, { cause: error });
  }
}
