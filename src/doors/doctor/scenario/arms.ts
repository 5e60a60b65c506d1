import { differences } from "../../../comparison/scenario/declared-differences.ts";
import { type Check, fail, pass, skip, warn } from "../check.ts";
import { IDLE } from "../idle.ts";
import type { DeclaredScenario } from "../services.ts";

/** Two equal arms measure chance. That can be intended, so it is a warning. */
export const contrast: Check<DeclaredScenario> = {
  id: "arms.contrast",
  title: "Arms differ",
  run({ loaded }) {
    const [first, second] = loaded.definition.arms;
    const found = differences(first, second);
    return found.length > 0
      ? pass(`in ${found.join(", ")}`)
      : warn(
          "both arms are set up alike (the verdict will carry no_contrast)",
          "change one, unless chance is the question",
        );
  },
};

/** The effect of an undeclared difference would be credited to the declared one. */
export const varies: Check<DeclaredScenario> = {
  id: "arms.varies",
  title: "Arms differ only where declared",
  run({ loaded }) {
    const { arms, varies: declared } = loaded.definition;
    if (declared === null) return skip(IDLE.no_varies);
    const found = differences(...arms);
    const undeclared = found.filter((field) => !declared.includes(field));
    if (undeclared.length > 0)
      return fail(`they also differ in ${undeclared.join(", ")}`, "make these equal, or add them to `varies`");
    const missing = declared.filter((field) => !found.some((name) => name === field));
    return missing.length === 0
      ? pass(`only in ${declared.join(", ")}`)
      : warn(`they are alike in ${missing.join(", ")}`, "make the difference, or take the name out of `varies`");
  },
};
