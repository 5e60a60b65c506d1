import { useSignal } from "@preact/signals";
import type { SessionListing } from "../../domain/session.ts";
import { listSessions } from "../api.ts";
import { asFailed, useLoaded } from "../loaded.ts";
import { ArmName } from "../part/arm-name.tsx";
import { FilterField } from "../part/fields.tsx";
import { Page } from "../part/page.tsx";
import { Failed, Show } from "../part/show.tsx";
import { blind } from "../preferences.ts";
import { navigate, toCompare, toSessions } from "../routes.ts";
import { picked } from "./picked.ts";
import { SessionRow } from "./session-row.tsx";

/** Rows read at once. */
const PAGE = 50;

/** Every stored session, newest first. Two arms of one scenario can be picked for a comparison. */
export function SessionsPage({ scenario }: { scenario: string | null }) {
  const query = { limit: PAGE, ...(scenario && { scenario }) };
  const first = useLoaded(`sessions ${scenario}`, (signal) => listSessions(query, signal));
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
      <Show of={first} what="the sessions">
        {(rows) => <SessionTable key={rows[0]?.session_id} first={rows} query={query} />}
      </Show>
      {picked.value.length > 0 && <CompareBar />}
    </Page>
  );
}

interface SessionTableProps {
  readonly first: readonly SessionListing[];
  readonly query: { readonly limit: number; readonly scenario?: string };
}

function SessionTable({ first, query }: SessionTableProps) {
  const rows = useSignal(first);
  const ended = useSignal(first.length < PAGE);
  const filter = useSignal("");
  if (first.length === 0) return <NoSessions />;
  const wanted = filter.value.trim().toLowerCase();
  const shown = rows.value.filter((row) => textOf(row).includes(wanted));
  return (
    <>
      <FilterField label="Filter by scenario, model, state or outcome" filter={filter} />
      <p role="status" class="hidden-text">
        {shown.length} sessions shown
      </p>
      {shown.length === 0 && <p class="empty">None of the sessions read so far matches “{filter.value}”.</p>}
      <ul class="sessions">
        {shown.map((row) => (
          <SessionRow key={row.session_id} row={row} />
        ))}
      </ul>
      {!ended.value && <Older rows={rows} ended={ended} query={query} />}
    </>
  );
}

interface OlderProps {
  readonly rows: { value: readonly SessionListing[] };
  readonly ended: { value: boolean };
  readonly query: SessionTableProps["query"];
}

function Older({ rows, ended, query }: OlderProps) {
  const failure = useSignal<unknown>(null);
  const last = rows.value.at(-1);
  async function read(): Promise<void> {
    try {
      const older = await listSessions({ ...query, ...(last && { before: last.session_id }) });
      rows.value = [...rows.value, ...older];
      ended.value = older.length < PAGE;
      failure.value = null;
    } catch (error) {
      failure.value = error;
    }
  }
  return (
    <>
      {failure.value !== null && <Failed what="older sessions" error={asFailed(failure.value)} />}
      <button type="button" onClick={() => void read()}>
        Show older sessions
      </button>
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
