import { memberName, memberWord } from "../../../../domain/member.ts";
import type { Series } from "../../../../domain/series.ts";
import { countOf } from "../../format.ts";
import { Notice } from "../../part/notice.tsx";
import { toSeries } from "../../routes.ts";
import { type Apartness, apartBy, kinshipOf, namesIn, type PairOf, sharedTrials } from "./kinship.ts";
import { namesOfDifferences, type SetUpRow } from "./set-up.ts";

interface WhatItCanSayProps {
  readonly series: PairOf<Series>;
  /** Null until it is read what the trials tell. */
  readonly rows: readonly SetUpRow[] | null;
}

/** What a comparison of two series can claim, and what it cannot. */
export function WhatItCanSay({ series, rows }: WhatItCanSayProps) {
  const shared = sharedTrials(series);
  return (
    <>
      <Kin series={series} rows={rows} />
      {shared > 0 && kinshipOf(series) !== "one" && (
        <Notice tone="warn" title={`${countOf(shared, "trial")} in both`}>
          <p>One of these holds trials of the other. What they have in common says nothing about how they differ.</p>
        </Notice>
      )}
    </>
  );
}

function Kin({ series, rows }: WhatItCanSayProps) {
  const [one, other] = series;
  switch (kinshipOf(series)) {
    case "one":
      return (
        <Notice tone="warn" title="This is one series">
          <p>Pick another one to compare it with.</p>
        </Notice>
      );
    case "repeats":
      return (
        <Notice tone="note" title="Both run the same comparison">
          <p>
            Scenarios, arms, judge and sandbox are the same, by digest. So what differs is chance, or what no digest
            holds: the model behind a name, a provider's load, the day.
            {one.scenarios.length === 1 && (
              <>
                {" "}
                More than side by side they say together:{" "}
                <a href={toSeries(`cmp-${one.scenarios[0]?.comparison}`)}>all runs of this comparison</a>.
              </>
            )}
          </p>
        </Notice>
      );
    case "variants":
      return (
        <Notice tone="note" title="These are two experiments, not one">
          <p>
            {changedText(rows)} Each win rate is what its own judge made of its own trials. A difference between them
            may come from anything that differs, from what nobody stored, such as the day, or from chance. abeval claims
            nothing about it.
          </p>
        </Notice>
      );
    case "apart":
      return (
        <Notice tone="warn" title="These series cannot be compared, only read side by side">
          <ul>
            {apartBy([namesIn(one), namesIn(other)]).map((why) => (
              <li key={why}>{APART[why](series)}</li>
            ))}
          </ul>
        </Notice>
      );
  }
}

function changedText(rows: readonly SetUpRow[] | null): string {
  if (rows === null) return "";
  const names = namesOfDifferences(rows);
  return names === "" ? "Their digests differ, and nothing stored says why." : `What differs and may matter: ${names}.`;
}

const APART: Readonly<Record<Apartness, (series: PairOf<Series>) => string>> = {
  arms: ([one, other]) =>
    `They compare other arms: ${armsText(one)}, and ${armsText(other)}. Each win rate is that of its own arm A.`,
  exchanged: ([one]) =>
    `Their arms are exchanged: ${one.arms.a.arm_id} is arm A of series 1 and arm B of series 2. Read one win rate the other way round.`,
  scenarios: ([one, other]) => {
    const names = new Set(other.scenarios.map(memberName));
    const both = one.scenarios.filter((member) => names.has(memberName(member))).length;
    const word = memberWord([...one.scenarios, ...other.scenarios]);
    if (both === 0) return `They have no ${word} in common.`;
    return `They have ${countOf(both, word)} in common, of ${one.scenarios.length} and ${other.scenarios.length}. Only the rows of these can be read against each other.`;
  },
};

const armsText = ({ arms }: Series) => `${arms.a.arm_id} and ${arms.b.arm_id}`;
