import { modelFamily } from "../../arms/model/model-ref.ts";
import { judgesNamed } from "../../domain/model-name.ts";
import type { JudgeCall, Kin } from "../../domain/verdict.ts";

/** A model as it is asked for, and as whoever answered called it. */
interface Named {
  readonly model: string;
  readonly model_served?: string | null | undefined;
}

/** The arms whose model comes from the maker of the judge, or of most of a panel. */
export function kinOf(judges: readonly Named[], [first, second]: readonly [Named, Named]): Kin | null {
  const [families, a, b] = [judges.map(familyOf), familyOf(first), familyOf(second)];
  const isKin = (own: string | null) =>
    own !== null && families.filter((family) => family === own).length > families.length / 2;
  if (a === b) return isKin(a) ? "both" : null;
  return isKin(a) ? "a" : isKin(b) ? "b" : null;
}

/** What is kin of both arms favours neither. */
export const favoursOne = (kin: Kin | null): boolean => kin !== null && kin !== "both";

/** Whether all judges of a panel are of one family: their errors are alike, so that more of them prove no more. */
export const isOneFamily = (judges: readonly Named[]): boolean =>
  judges.length > 1 && new Set(judges.map(familyOf)).size === 1;

/** The judges that a name lists, with what answered for each as far as they were asked. */
export const judgesOf = (name: string, calls: readonly Heard[] = []): readonly Named[] =>
  judgesNamed(name).map((model) => {
    const own = calls.filter(({ judge = model }) => judge === model);
    return { model, model_served: own.find(({ model_served }) => model_served !== null)?.model_served };
  });

type Heard = Pick<JudgeCall, "judge" | "model_served">;

const familyOf = ({ model, model_served }: Named) => modelFamily(model, model_served);
