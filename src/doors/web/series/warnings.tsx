import type { Series } from "../../../domain/series.ts";
import { Notice } from "../part/notice.tsx";
import { Warnings } from "../part/warnings.tsx";
import { seriesFlagText } from "./flags.ts";

/** What a reader must know before believing the series. */
export const SeriesWarnings = ({ series: { flags, model_changes, failure } }: { series: Series }) => (
  <Warnings
    flags={flags}
    textOf={seriesFlagText}
    below={(flag) => flag === "served_model_changed" && <ModelChanges changes={model_changes} />}
  >
    {failure !== null && (
      <Notice tone="danger" title="It stopped before its end">
        <p class="arm-text">{failure}</p>
      </Notice>
    )}
  </Warnings>
);

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
