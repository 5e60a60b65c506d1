import { useMemo } from "preact/hooks";
import type { SessionListing } from "../../domain/session.ts";
import { isFinal } from "../../domain/session-state.ts";
import { listSessions } from "../api.ts";
import { count, counted } from "../format.ts";
import { useLoaded } from "../loaded.ts";
import { ArmName } from "../part/arm-name.tsx";
import { FilterField } from "../part/fields.tsx";
import { Page } from "../part/page.tsx";
import { Show } from "../part/show.tsx";
import { blind } from "../preferences.ts";
import { navigate, toCompare, toSessions } from "../routes.ts";
import { type Rows, readRows, SHOWN_ROWS } from "../rows.ts";
import { picked } from "./picked.ts";
import { SessionRow } from "./session-row.tsx";

/** Rows that a filter looks through; reading more would keep the reader waiting. */
const SEARCHED = 5_000;

interface SessionsPageProps {
  readonly scenario: string | null;
  readonly filter: string;
  /** Rows shown at most. */
  readonly shown: number;
}

/** Every stored session, newest first. Two arms of one scenario can be picked for a comparison. */
export function SessionsPage({ scenario, filter, shown }: SessionsPageProps) {
  const extent = filter === "" ? shown : Math.max(shown, SEARCHED);
  const sessions = useLoaded(
    `sessions ${scenario}`,
    (signal) =>
      readRows<SessionListing>(extent, (limit, last) =>
        listSessions({ limit, ...(scenario && { scenario }), ...(last && { before: last.session_id }) }, signal),
      ),
    { extent, changes: ({ rows }) => filter === "" && rows.some(({ state }) => !isFinal(state)) },
  );
  const set = (change: { readonly filter?: string; readonly shown?: number }) =>
    navigate(toSessions(scenario, { filter, shown, ...change }), { replace: true });
  return (
    <Page title={scenario ? `Sessions of ${scenario}` : "Sessions"}>
      <p class="lead">Newest first. Pick any two arms of one scenario to compare them, also across sessions.</p>
      {scenario && (
        <p>
          <button type="button" class="quiet" onClick={() => navigate(toSessions())}>
            Show every scenario
          </button>
        </p>
      )}
      <Show of={sessions} what="the sessions">
        {(read) =>
          read.rows.length === 0 ? (
            <NoSessions />
          ) : (
            <>
              <FilterField
                label="Filter by scenario, model, state or outcome"
                filter={filter}
                set={(next) => set({ filter: next, shown: SHOWN_ROWS })}
              />
              <SessionRows
                read={read}
                reading={!read.complete && read.rows.length < extent}
                filter={filter}
                shown={shown}
                more={() => set({ shown: shown + SHOWN_ROWS })}
              />
            </>
          )
        }
      </Show>
      {picked.value.length > 0 && <CompareBar />}
    </Page>
  );
}

interface SessionRowsProps {
  readonly read: Rows<SessionListing>;
  /** More is on the way. */
  readonly reading: boolean;
  readonly filter: string;
  readonly shown: number;
  readonly more: () => void;
}

function SessionRows({ read: { rows, complete }, reading, filter, shown, more }: SessionRowsProps) {
  const texts = useMemo(() => rows.map((row) => ({ row, text: textOf(row) })), [rows]);
  const wanted = filter.trim().toLowerCase();
  const matching = texts.filter(({ text }) => text.includes(wanted));
  const hasMore = matching.length > shown || (filter === "" && !complete);
  return (
    <>
      <p role="status" class={filter === "" ? "hidden-text" : "small-print"}>
        {filter === ""
          ? counted(matching.length, "session")
          : `${count(matching.length)} of ${counted(rows.length, "session")} match.`}
        {reading && " Reading older ones …"}
        {filter !== "" &&
          !complete &&
          !reading &&
          ` Only the newest ${count(rows.length)} were looked through; open a scenario's sessions to look further back.`}
      </p>
      <ul class="sessions">
        {matching.slice(0, shown).map(({ row }) => (
          <SessionRow key={row.session_id} row={row} />
        ))}
      </ul>
      {hasMore && (
        <button type="button" disabled={reading} onClick={more}>
          Show older sessions
        </button>
      )}
    </>
  );
}

const textOf = ({ session_id, scenario, state, arms, outcome, winner, judge_model }: SessionListing) =>
  [session_id, scenario, state, outcome, winner, judge_model, ...arms.flatMap(({ arm_id, model }) => [arm_id, model])]
    .join(" ")
    .toLowerCase();

function NoSessions() {
  return (
    <div class="empty">
      <p>
        No session is stored. Start one from the <a href="/">scenarios</a>.
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
      {a && <ArmName side="a" name={blind.value ? "first pick" : a.pointer.arm_id} />}
      {b ? (
        <ArmName side="b" name={blind.value ? "second pick" : b.pointer.arm_id} />
      ) : (
        <span>Pick one more arm of {a?.scenario}.</span>
      )}
      <span class="compare-bar-end">
        {a && b && (
          <a class="button primary" href={toCompare(a.pointer, b.pointer)}>
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
