import { memberWord } from "../../../domain/member.ts";
import type { Series } from "../../../domain/series.ts";
import { rangedRateText } from "../../../statistics/figure-text.ts";
import { count } from "../format.ts";
import { ArmName } from "../part/arm-name.tsx";
import { PagePart, Scroller } from "../part/page.tsx";
import { RangeBar } from "./range-bar.tsx";

type Counts = NonNullable<Series["groups"]>[number]["counts"];

interface GroupsProps {
  readonly series: Series;
  /** The column that is chosen; null: none. */
  readonly by: string | null;
  readonly group: (column: string | null) => void;
}

/** What the rows with each value of a column show; nothing where no column could group them. */
export function Groups({ series, by, group }: GroupsProps) {
  const { columns = [], groups = [], arms } = series;
  // Those of another column stay until the chosen one is read.
  const field = groups[0]?.field === by ? by : null;
  if (columns.length === 0) return null;
  const word = memberWord(series.scenarios) === "row" ? "Rows" : "Scenarios";
  return (
    <PagePart title="Groups">
      <div class="fields">
        <label class="field">
          Group {word.toLowerCase()} by
          <select value={by ?? ""} onChange={(event) => group(event.currentTarget.value || null)}>
            <option value="">no column</option>
            {columns.map((column) => (
              <option key={column.field}>{column.field}</option>
            ))}
          </select>
        </label>
        {by !== null && <p class="aside">Groups describe; no claim is made of one.</p>}
      </div>
      {field !== null && (
        <Scroller kind="scroller" label={`Results by ${field}`}>
          <table class="by-group folded">
            <thead>
              <tr>
                <th scope="col">{field}</th>
                <th scope="col" class="number">
                  {word}
                </th>
                <th scope="col" class="number">
                  <ArmName side="a" name="won" />
                </th>
                <th scope="col" class="number">
                  No winner
                </th>
                <th scope="col" class="number">
                  <ArmName side="b" name="won" />
                </th>
                <th scope="col">Win rate of {arms.a.arm_id}</th>
              </tr>
            </thead>
            <tbody>
              {groups.map(({ value, counts, win_rate, low, high }) => (
                <tr key={value}>
                  <th scope="row">{value || "(empty)"}</th>
                  {figuresOf(counts, word).map(([name, figure]) => (
                    <td key={name} class="number" data-head={name}>
                      {count(figure)}
                    </td>
                  ))}
                  <td class="range-cell">
                    <RangeBar {...{ win_rate, low, high }} />
                    {rangedRateText({ win_rate, low, high })}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroller>
      )}
    </PagePart>
  );
}

/** The figures of a group, each with what it says where a narrow row has no heads. */
const figuresOf = ({ rows, wins, ties, losses }: Counts, word: string) =>
  [
    [word, rows],
    ["A won", wins],
    ["No winner", ties],
    ["B won", losses],
  ] as const;
