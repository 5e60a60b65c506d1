import type { Contest } from "../../../domain/contest.ts";
import { wordsText } from "../../../domain/words.ts";
import { contestLines, contestTable, pairTable, RANKS_TEXT } from "../../../statistics/contest-words.ts";
import { Page, PagePart } from "../part/page.tsx";
import { Say } from "../part/say.tsx";
import { DataTable } from "../part/table.tsx";
import { AnswerLines } from "./headline.tsx";

/** What the trials of more than two arms say: the answer, a line for each arm, and each pair. */
export function ContestReport({ contest }: { contest: Contest }) {
  const { first, lines } = contestLines(contest);
  return (
    <Page title={wordsText(first)} heading={<Say words={first} />}>
      <AnswerLines lines={lines} />
      <PagePart title="Arms">
        <Figures label="Arms" {...contestTable(contest)} />
        <p>{RANKS_TEXT}</p>
      </PagePart>
      <PagePart title="Pairs">
        <Figures label="Pairs" {...pairTable(contest)} />
      </PagePart>
    </Page>
  );
}

function Figures({ label, head, rows }: ReturnType<typeof contestTable> & { readonly label: string }) {
  return (
    <DataTable label={label} kind="contest" heads={head}>
      {rows.map((row) => (
        <tr key={row[0]}>
          {row.map((cell, place) => (
            <td key={head[place]}>{cell}</td>
          ))}
        </tr>
      ))}
    </DataTable>
  );
}
