import { imagesIn } from "../../../comparison/planning/task-image.ts";
import { type FoundTask, imagesForTasks } from "../../../comparison/scenario/draft-tasks.ts";
import type { Services } from "../../doctor/services.ts";

/** The images that tasks may run on; undefined where the user names none. */
export type ImagesOfUser = Parameters<FoundTask["draft"]>[1];

export async function taskImages({ images_dir }: Services): Promise<ImagesOfUser> {
  return images_dir === undefined ? undefined : imagesForTasks(await imagesIn(images_dir));
}
