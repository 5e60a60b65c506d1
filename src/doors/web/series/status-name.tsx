import { type Member, memberName } from "../../../domain/member.ts";
import type { Series } from "../../../domain/series.ts";
import { preferredSide, statusWords } from "../../../domain/series-status.ts";
import type { ArmNames } from "../../../domain/words.ts";
import { Say } from "../part/say.tsx";
import { toScenario } from "../routes.ts";

type StatusProps = Parameters<typeof statusWords>[0] & { readonly arms: ArmNames };

/** What a series shows, in the colour of the arm that is preferred. */
export function StatusName({ arms, ...series }: StatusProps) {
  const side = preferredSide(series.conclusion);
  return (
    <span class={side && `preferred side-${side}`}>
      <Say words={statusWords(series, arms)} />
    </span>
  );
}

/** Leads to the scenario; those of imported results are not known here. */
export const ScenarioLink = ({ series: { kind }, member }: { series: Pick<Series, "kind">; member: Member }) =>
  kind === "results" ? (
    <span>{memberName(member)}</span>
  ) : (
    <a href={toScenario(member.scenario)}>{memberName(member)}</a>
  );
