import { computed } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { columnsWith, type SortName } from "../../../domain/listed-columns.ts";
import type { SessionSummary } from "../../../domain/session-list.ts";
import { summarizeSessions } from "../api.ts";
import { count, countOf, duration, usd } from "../format.ts";
import { useLoaded } from "../loaded.ts";
import { ArmName } from "../part/arm-name.tsx";
import { Page } from "../part/page.tsx";
import { Show } from "../part/show.tsx";
import { narrowerThan, useWindowRows } from "../part/use-window-rows.ts";
import { blind } from "../preferences.ts";
import { address, navigate, toCompare, toSessions } from "../routes.ts";
import { outcomeText } from "../verdict/outcome.tsx";
import { SessionFilters } from "./session-filters.tsx";
import { picked, SessionRow } from "./session-row.tsx";
import { blindView, isFiltered, type SessionsView, TELLING, viewOf } from "./sessions-view.ts";
import { type ShownSessions, useSessionRows } from "./use-session-rows.ts";

/** Every stored session. Two arms can be picked for a comparison. */
export function SessionsPage({ view: asked }: { view: SessionsView }) {
  const view = blind.value ? blindView(asked) : asked;
  const names = useLoaded("names", (signal) => summarizeSessions({ names: "all" }, signal));
  const { rows, look } = useSessionRows(view, keepInSight);
  const known = names.value.state === "ready" ? names.value.value.known : undefined;
  return (
    <Page title="Sessions">
      <SessionFilters view={view} known={known} set={set} />
      <Show of={rows} what="the sessions">
        {(read) => (
          <>
            <Totals summary={read.summary} view={view} set={set} />
            {read.summary.sessions === 0 ? (
              <NoSessions filtered={isFiltered(view)} />
            ) : (
              <SessionTable asked={view} read={read} look={look} set={set} />
            )}
          </>
        )}
      </Show>
      {picked.value.length > 0 && <CompareBar />}
    </Page>
  );
}

/** Beside what the address says by now: what was typed comes later than what was chosen. */
const set = (change: SessionsView) =>
  navigate(toSessions({ ...viewOf(address.peek().searchParams), ...change }), { replace: true });

/** What a reader looks at stays where it is when rows come on top. */
function keepInSight(rows: number): void {
  const list = document.querySelector(".session-table tbody");
  if (list && list.getBoundingClientRect().top < 0) scrollBy(0, rows * rowHeight.value);
}

interface TotalsProps {
  readonly summary: SessionSummary;
  readonly view: SessionsView;
  readonly set: (change: SessionsView) => void;
}

/** What matches, in figures. Each result is a filter. */
function Totals({ summary, view, set }: TotalsProps) {
  const { sessions, results, conflicts, wall_ms } = summary;
  return (
    <div class="session-totals">
      <p role="status">
        <strong>{countOf(sessions, "session")}</strong>
        {isFiltered(view) && " match"}
      </p>
      {!blind.value &&
        results.map(({ name, sessions: many }) => (
          <ResultFilter key={name} name={name} many={many} view={view} set={set} />
        ))}
      {!blind.value && conflicts > 0 && (
        <button
          type="button"
          class="chip"
          aria-pressed={view.conflict === "only"}
          onClick={() => set({ conflict: view.conflict ? undefined : "only" })}
        >
          {count(conflicts)} contradicting <span aria-hidden="true">✕</span>
        </button>
      )}
      <button
        type="button"
        class="chip"
        aria-pressed={view.trials === "none"}
        onClick={() => set({ trials: view.trials ? undefined : "none" })}
      >
        Hide trials of series
      </button>
      {sessions > 0 && (
        <p class="aside">
          {costText(summary)} · {duration(wall_ms)} of runs
        </p>
      )}
    </div>
  );
}

function costText({ cost_usd, cost_unknown }: SessionSummary): string {
  if (cost_usd === null) return "cost unknown";
  if (cost_unknown === 0) return cost_usd === 0 ? "free" : usd(cost_usd);
  const unknown = `${count(cost_unknown)} of unknown cost`;
  return cost_usd === 0 ? `${unknown}, the others free` : `at least ${usd(cost_usd)}, ${unknown}`;
}

const BY_OUTCOME: ReadonlySet<string> = new Set(["winner", "tie", "inconclusive", "inconsistent", "invalid"]);

function ResultFilter({ name, many, view, set }: { name: string; many: number } & Omit<TotalsProps, "summary">) {
  const field = BY_OUTCOME.has(name) ? "outcome" : "state";
  const pressed = view[field] === name;
  return (
    <button
      type="button"
      class="chip"
      aria-pressed={pressed}
      onClick={() => set({ [field]: pressed ? undefined : name } as SessionsView)} // a name that the server gave
    >
      {count(many)} {outcomeText(name).toLowerCase()}
    </button>
  );
}

function NoSessions({ filtered }: { filtered: boolean }) {
  if (filtered)
    return (
      <div class="empty">
        <p>No session is like that.</p>
        <button type="button" class="quiet" onClick={() => navigate(toSessions())}>
          Show all sessions
        </button>
      </div>
    );
  return (
    <div class="empty">
      <p>
        No session is stored. Start one from the <a href="/scenarios">scenarios</a>.
      </p>
      <p>
        If you have run some and they are not here, the server was started without <code>--state-dir</code>: its
        sessions last only as long as the process, and only their own links find them.
      </p>
    </div>
  );
}

/** The arms picked so far, and the link to their comparison. */
function CompareBar() {
  const [a, b] = picked.value;
  return (
    <div class="compare-bar" role="status">
      {a && <ArmName side="a" name={blind.value ? "first pick" : a.arm_id} />}
      {b ? <ArmName side="b" name={blind.value ? "second pick" : b.arm_id} /> : <span>Pick one more arm.</span>}
      <span class="compare-bar-end">
        {a && b && (
          <a class="button primary" href={toCompare(a, b)}>
            Compare these two
          </a>
        )}
        <button type="button" class="quiet" onClick={() => (picked.value = [])}>
          Clear
        </button>
      </span>
    </div>
  );
}

/** As `sessions.css` has it: below these widths a row has four lines, and three; above them it has two. */
const isPhone = narrowerThan("40rem");
const isNarrow = narrowerThan("50rem");

/** Pixels. Every row has the same, so that a list of any length knows its own. */
const rowHeight = computed(() => (isPhone.value ? 112 : isNarrow.value ? 88 : 52));

interface SessionTableProps {
  /** What the reader asked for, which may be read only now. */
  readonly asked: SessionsView;
  readonly read: ShownSessions;
  readonly look: (first: number, last: number) => void;
  readonly set: (change: SessionsView) => void;
}

/** Rows of one height, of which those in sight are drawn. */
function SessionTable({ asked, read: { view, summary, rows }, look, set }: SessionTableProps) {
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
