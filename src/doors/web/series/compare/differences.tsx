import { useMemo } from "preact/hooks";
import type { Series } from "../../../../domain/series.ts";
import type { SessionOutcome } from "../../../../domain/session.ts";
import { FileDiff } from "../../diff/file-diff.tsx";
import { DataTable } from "../../part/table.tsx";
import { besideWanted, wideWindow } from "../../preferences.ts";
import { toCompareSeries } from "../../routes.ts";
import { SeriesMark, SeriesName } from "../series-mark.tsx";
import { definitionChanges } from "./definition.ts";
import { changedScenarios, type PairOf } from "./kinship.ts";
import { differs, type SetUpRow } from "./set-up.ts";

/** What differs between the set-ups first; what is the same is a fold. */
export function SetUpTables({ rows }: { rows: readonly SetUpRow[] }) {
  const [different, same] = [rows.filter(differs), rows.filter((row) => !differs(row))];
  return (
    <>
      {different.length === 0 ? (
        <p>Nothing that is stored differs.</p>
      ) : (
        <SetUpTable rows={different} label="What differs" />
      )}
      {same.length > 0 && (
        <details class="fold">
          <summary>
            The same in both:{" "}
            {same
              .map(({ name }) => name)
              .slice(0, NAMED)
              .join(", ")}
            {same.length > NAMED && ` and ${same.length - NAMED} more`}
          </summary>
          <SetUpTable rows={same} label="The same in both" />
        </details>
      )}
    </>
  );
}

/** Things named on a closed fold. */
const NAMED = 4;

function SetUpTable({ rows, label }: { rows: readonly SetUpRow[]; label: string }) {
  const heads = ["Set-up", <SeriesName key="1" nth={1} />, <SeriesName key="2" nth={2} />];
  return (
    <DataTable label={label} kind="sides stacked" heads={heads}>
      {rows.map(({ name, texts, kind }) => (
        <tr key={name}>
          <th scope="row">
            {name}
            {kind === "run" && <small>of the run</small>}
          </th>
          {texts.map((text, index) => (
            <td key={index}>
              <span class="of-series">
                <SeriesMark nth={index === 0 ? 1 : 2} />
              </span>{" "}
              {text ?? <span class="aside">not known, or not chosen</span>}
            </td>
          ))}
        </tr>
      ))}
    </DataTable>
  );
}

/** Lines of a part above which it stays closed. */
const OPEN_LINES = 60;

interface DefinitionChangesProps {
  readonly scenario: string;
  readonly trials: PairOf<SessionOutcome>;
}

/** How a scenario's definition changed between the trials of two series: arms with their prompts, task, rubric, policies. */
export function DefinitionChanges({ scenario, trials: [one, other] }: DefinitionChangesProps) {
  const changes = useMemo(() => definitionChanges([one, other]), [one, other]);
  const beside = besideWanted.value && wideWindow.value;
  if (changes.length === 0) return null;
  return (
    <>
      <h3>The definition of {scenario}, line by line</h3>
      {changes.map((change) => (
        <FileDiff
          key={change.path}
          {...{ change, beside }}
          cited={null}
          between="series 1 to series 2"
          open_lines={OPEN_LINES}
        />
      ))}
    </>
  );
}

interface ScenarioLinksProps {
  readonly series: PairOf<Series>;
  /** The one that is shown. */
  readonly current: string | undefined;
}

/** The scenarios whose definitions can be shown: those of both series that differ. */
export function ScenarioLinks({ series, current }: ScenarioLinksProps) {
  const [one, other] = series;
  const scenarios = changedScenarios(series);
  if (scenarios.length < 2) return null;
  return (
    <nav class="chips" aria-label="Definition of">
      {scenarios.map((scenario) => (
        <a
          key={scenario}
          class="button chip"
          href={toCompareSeries(one.series_id, other.series_id, scenario)}
          aria-current={scenario === current ? "true" : undefined}
        >
          {scenario}
        </a>
      ))}
    </nav>
  );
}
