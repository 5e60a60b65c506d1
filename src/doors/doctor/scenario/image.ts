import { needOfImage } from "../../../comparison/planning/needs.ts";
import { workspacePlaces } from "../../../comparison/planning/task-image.ts";
import { Failure } from "../../../domain/failure.ts";
import { type Check, fail, IDLE, pass, skip } from "../check.ts";
import { type DeclaredScenario, workersWith } from "../services.ts";

/** An image that nobody has ends a run before it begins. */
export const imageCheck: Check<DeclaredScenario> = {
  id: "task.image",
  title: "Image of the task",
  async run({ services, loaded }) {
    const { image } = loaded.definition.task;
    if (!image) return pass(IDLE.no_image);
    try {
      const places = await workspacePlaces(services, loaded);
      return pass(`${image.path} (sha256:${image.digest.slice(0, 12)}), workspace at ${places?.at}`);
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== "invalid_request") throw error;
      if (workersWith(services, needOfImage(image.digest)) > 0) return skip(`left to workers: ${error.message}`);
      return fail(error.message, "docs/images.md says how an image comes to a machine");
    }
  },
};
