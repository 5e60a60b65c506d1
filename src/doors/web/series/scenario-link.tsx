import { type Member, memberName } from "../../../domain/member.ts";
import type { Series } from "../../../domain/series.ts";
import { toScenario } from "../routes.ts";

/** Leads to the scenario; those of imported results are not known here. */
export const ScenarioLink = ({ series: { kind }, member }: { series: Pick<Series, "kind">; member: Member }) =>
  kind === "results" ? (
    <span>{memberName(member)}</span>
  ) : (
    <a href={toScenario(member.scenario)}>{memberName(member)}</a>
  );
