import type { Series } from "../../../domain/series.ts";
import { seriesFlagText } from "../../../domain/series-flags.ts";
import type { SeriesFlag } from "../../../domain/series-summary.ts";
import { HALTED } from "../../../statistics/series-words.ts";
import { Notice } from "../part/notice.tsx";
import { CheckoutInputs, Warnings } from "../part/warnings.tsx";

/** What a reader must know before believing the series. */
export const SeriesWarnings = ({ series }: { series: Series }) => (
  <Warnings flags={series.flags} textOf={(flag) => seriesFlagText(flag, series)} below={(flag) => below(flag, series)}>
    {series.failure !== null && (
      <Notice tone="danger" title={HALTED}>
        <p class="arm-text">{series.failure}</p>
      </Notice>
    )}
  </Warnings>
);

function below(flag: SeriesFlag, { model_changes, inputs_from_checkout }: Series) {
  if (flag === "served_model_changed") return <ModelChanges changes={model_changes} />;
  return flag === "inputs_from_checkout" && <CheckoutInputs inputs={inputs_from_checkout} />;
}

function ModelChanges({ changes }: { changes: Series["model_changes"] }) {
  return (
    <ul>
      {changes.map(({ scenario, trial, who, from, to }) => (
        <li key={`${scenario} ${who}`}>
          Trial {trial} of {scenario}, {who === "judge" ? "the judge" : `arm ${who.toUpperCase()}`}: <code>{from}</code>
          , then <code>{to}</code>
        </li>
      ))}
    </ul>
  );
}
