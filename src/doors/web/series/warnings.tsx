import type { Series } from "../../../domain/series.ts";
import { caveatPart } from "../part/caveats.tsx";
import { Notice } from "../part/notice.tsx";
import { seriesFlagText } from "./flags.ts";

/** What a reader must know before believing the series. Notes share one line. */
export function SeriesWarnings({ series: { flags, model_changes, failure } }: { series: Series }) {
  const texts = flags.map((flag) => ({ flag, ...seriesFlagText(flag) }));
  const notes = texts.filter(({ tone }) => tone === "note");
  if (texts.length === 0 && failure === null) return null;
  return (
    <div class="warnings">
      {failure !== null && (
        <Notice tone="danger" title="It stopped before its end">
          <p class="arm-text">{failure}</p>
        </Notice>
      )}
      {texts
        .filter(({ tone }) => tone !== "note")
        .map(({ flag, tone, title, text }) => (
          <Notice key={flag} id={caveatPart(flag)} tone={tone} title={title}>
            <p>
              {text} <code>{flag}</code>
            </p>
            {flag === "served_model_changed" && <ModelChanges changes={model_changes} />}
          </Notice>
        ))}
      {notes.length > 0 && (
        <p class="small-print">
          {notes.map(({ flag, title, text }, index) => (
            <span key={flag}>
              {index > 0 && " "}
              <strong>{title}.</strong> {text}
            </span>
          ))}
        </p>
      )}
    </div>
  );
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
