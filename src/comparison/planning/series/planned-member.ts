import { memberName, withInputId } from "../../../domain/member.ts";
import { isScripted } from "../../../domain/model-name.ts";
import type { SeriesPlan } from "../../../domain/series-record.ts";
import { SIDES, type Side } from "../../../domain/verdict.ts";
import { differences } from "../../scenario/declared-differences.ts";
import type { LoadedScenario } from "../../scenario/loaded-scenario.ts";
import type { SessionPlan } from "../prepare-session.ts";
import { worstCaseTotal } from "../worst-case-cost.ts";

/** What a series keeps of the plan of a member's first trial: a plan holds runners, and a series has thousands. */
export interface PlannedMember {
  readonly loaded: LoadedScenario;
  readonly planned: SeriesPlan["scenarios"][number];
  readonly judge_model: string;
  /** The most that a trial may cost, USD; null = unknown. */
  readonly worst_usd: number | null;
  /** The arm for which stored runs stand in. */
  readonly stored_side: Side | undefined;
  /** Both arms ask for one model. */
  readonly same_model: boolean;
  readonly scripted: boolean;
  /** Its arms are set up as those of the first member. */
  readonly like_first: boolean;
}

export function plannedMember(plan: SessionPlan, first: SessionPlan["scenario"]["arms"]): PlannedMember {
  const { loaded, scenario, comparison, self_test_key, chosen, worst_case, sources } = plan;
  const { arms } = scenario;
  return {
    loaded,
    planned: {
      ...{ scenario: scenario.name, ...withInputId(scenario.input?.id), digest: loaded.digest },
      ...{ comparison, self_test_key },
    },
    judge_model: chosen.judge_model,
    worst_usd: worstCaseTotal(worst_case),
    stored_side: SIDES.find((_, index) => sources[index]?.stored),
    same_model: arms[0].model === arms[1].model,
    scripted: arms.some(({ model }) => isScripted(model)),
    like_first: SIDES.every((_, side) => differences(armAt(arms, side), armAt(first, side)).length === 0),
  };
}

const armAt = (arms: SessionPlan["scenario"]["arms"], side: number) => (side === 0 ? arms[0] : arms[1]);

/** Its name in the series. */
export const nameInSeries = ({ definition: { name, input } }: LoadedScenario) =>
  memberName({ scenario: name, input: input?.id });
