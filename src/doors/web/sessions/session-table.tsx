import { computed } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { SessionSort } from "../../../domain/session-list.ts";
import { narrowerThan } from "../part/narrower-than.ts";
import { useWindowRows } from "../part/use-window-rows.ts";
import { blind } from "../preferences.ts";
import { SessionRow } from "./session-row.tsx";
import { type SessionsView, TELLING } from "./sessions-view.ts";
import type { ShownSessions } from "./use-session-rows.ts";

/** As `sessions.css` has it: below these widths a row has four lines, and three; above them it has two. */
const isPhone = narrowerThan("40rem");
const isNarrow = narrowerThan("50rem");

/** Pixels. Every row has the same, so that a list of any length knows its own. */
export const rowHeight = computed(() => (isPhone.value ? 112 : isNarrow.value ? 88 : 52));

interface Column {
  readonly name: string;
  readonly sort?: SessionSort;
  /** Its first order. */
  readonly order?: "asc" | "desc";
}

const COLUMNS: readonly Column[] = [
  { name: "Created", sort: "created", order: "desc" },
  { name: "Scenario", sort: "scenario", order: "asc" },
  { name: "Arms" },
  { name: "Result", sort: "result", order: "asc" },
  { name: "Score", sort: "gap", order: "desc" },
  { name: "Checks" },
  { name: "Judge" },
  { name: "Cost", sort: "cost", order: "desc" },
  { name: "Time", sort: "duration", order: "desc" },
];

interface SessionTableProps {
  /** What the reader asked for, which may be read only now. */
  readonly asked: SessionsView;
  readonly read: ShownSessions;
  readonly look: (first: number, last: number) => void;
  readonly set: (change: SessionsView) => void;
}

/** Rows of one height, of which those in sight are drawn. */
export function SessionTable({ asked, read: { view, summary, rows }, look, set }: SessionTableProps) {
  const list = useRef<HTMLTableSectionElement>(null);
  const height = rowHeight.value;
  const drawn = useWindowRows({ count: summary.sessions, height, list });
  const [first, last] = [drawn[0]?.index ?? 0, drawn.at(-1)?.index ?? 0];
  useEffect(() => look(first, last), [first, last]);
  const top = drawn[0] ? drawn[0].start - drawn[0].index * height : 0;
  return (
    <table class="placed-rows session-table" aria-rowcount={summary.sessions + 1}>
      <thead>
        <tr>
          {COLUMNS.map((column) => (
            <Head key={column.name} column={column} asked={asked} view={view} set={set} />
          ))}
        </tr>
      </thead>
      <tbody ref={list} style={{ height: `${summary.sessions * height}px` }}>
        {drawn.map(({ index, start }) => {
          const row = rows.get(index);
          // The focus stays with its session when others come on top.
          return <SessionRow key={row?.session_id ?? index} row={row} index={index} top={start - top} />;
        })}
      </tbody>
    </table>
  );
}

interface HeadProps extends Pick<SessionTableProps, "asked" | "set"> {
  readonly column: Column;
  /** What the rows are. */
  readonly view: SessionsView;
}

function Head({ column: { name, sort, order = "desc" }, asked, view, set }: HeadProps) {
  if (!sort || (blind.value && TELLING.has(sort))) return <th scope="col">{name}</th>;
  const now = orderBy(sort, view);
  const sorted = now && (now === "asc" ? "ascending" : "descending");
  const before = orderBy(sort, asked);
  const next = before ? (before === "asc" ? "desc" : "asc") : order;
  return (
    <th scope="col" aria-sort={sorted}>
      <button type="button" onClick={() => set({ sort, order: next })}>
        {name}
        {now && <span aria-hidden="true">{now === "asc" ? "↑" : "↓"}</span>}
      </button>
    </th>
  );
}

const orderBy = (by: SessionSort, { sort = "created", order = "desc" }: SessionsView) =>
  sort === by ? order : undefined;
