import { percentText } from "../../../domain/number-text.ts";
import type { Series } from "../../../domain/series.ts";
import { Scroller } from "../part/page.tsx";

interface GroupsProps {
  readonly series: Series;
  /** The column that is chosen; null: none. */
  readonly by: string | null;
  readonly group: (column: string | null) => void;
}

/** What the rows with each value of a column show; nothing where no column could group them. */
export function Groups({ series, by, group }: GroupsProps) {
  const { columns = [], groups = [], imported, arms } = series;
  // Those of another column stay until the chosen one is read.
  const field = groups[0]?.field === by ? by : null;
  if (columns.length === 0) return null;
  return (
    <section data-stop tabIndex={-1}>
      <h2>Groups</h2>
      <p>
        <label>
          Group {imported ? "scenarios" : "rows"} by{" "}
          <select value={by ?? ""} onChange={(event) => group(event.currentTarget.value || null)}>
            <option value="">no column</option>
            {columns.map((column) => (
              <option key={column.field}>{column.field}</option>
            ))}
          </select>
        </label>
        {by !== null && " Groups describe; no claim is made of one."}
      </p>
      {field !== null && (
        <Scroller kind="scroller" label={`Results by ${field}`}>
          <table class="by-group">
            <thead>
              <tr>
                <th scope="col">{field}</th>
                <th scope="col">{imported ? "Scenarios" : "Rows"}</th>
                <th scope="col">{arms.a.arm_id} won</th>
                <th scope="col">No winner</th>
                <th scope="col">{arms.b.arm_id} won</th>
                <th scope="col">Win rate of {arms.a.arm_id}</th>
                <th scope="col">Its range</th>
              </tr>
            </thead>
            <tbody>
              {groups.map(({ value, counts, win_rate, low, high }) => (
                <tr key={value}>
                  <th scope="row">{value || "(empty)"}</th>
                  <td>{counts.rows}</td>
                  <td>{counts.wins}</td>
                  <td>{counts.ties}</td>
                  <td>{counts.losses}</td>
                  <td>{win_rate === null ? "–" : percentText(win_rate)}</td>
                  <td>
                    {percentText(low)} to {percentText(high)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroller>
      )}
    </section>
  );
}
