import { computed } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { columnsWith, type SortName } from "../../../domain/listed-columns.ts";
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
          {columnsWith("head").map(([name, column]) => (
            <th key={name} scope="col" class={column.figure && "session-figure"} aria-sort={sortedBy(name, view)}>
              <Head name={name} column={column} asked={asked} view={view} set={set} />
            </th>
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
  readonly name: string;
  readonly column: ReturnType<typeof columnsWith<"head">>[number][1];
  /** What the rows are. */
  readonly view: SessionsView;
}

function Head({ name, column: { head, sort: first }, asked, view, set }: HeadProps) {
  if (!isSort(name) || (blind.value && TELLING.has(name))) return head;
  const now = orderBy(name, view);
  const before = orderBy(name, asked);
  const order = before ? (before === "asc" ? "desc" : "asc") : first;
  return (
    <button type="button" onClick={() => set({ sort: name, order })}>
      {head}
      {now && <span aria-hidden="true">{now === "asc" ? "↑" : "↓"}</span>}
    </button>
  );
}

const isSort = (name: string): name is SortName => columnsWith("sort").some(([own]) => own === name);

const orderBy = (by: string, { sort = "created", order = "desc" }: SessionsView) => (sort === by ? order : undefined);

function sortedBy(name: string, view: SessionsView) {
  const order = blind.value && TELLING.has(name) ? undefined : orderBy(name, view);
  return order && (order === "asc" ? "ascending" : "descending");
}
