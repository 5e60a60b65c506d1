import { imagesIn } from "../../../comparison/planning/task-image.ts";
import { TaskImages } from "../../../comparison/scenario/draft/task-images.ts";
import type { Services } from "../../doctor/services.ts";

/** The images that tasks may run on; undefined where the user names none. */
export async function taskImages({ images_dir }: Services): Promise<TaskImages | undefined> {
  return images_dir === undefined ? undefined : new TaskImages(await imagesIn(images_dir));
}
