import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { SessionListing, SessionSummary } from "../../../domain/session-list.ts";
import { listSessions, revision, summarizeSessions } from "../api.ts";
import { asFailed, type Loaded } from "../loaded.ts";
import { blind, blindSearch } from "../preferences.ts";
import { parametersOf, type SessionsView } from "./sessions-view.ts";

/** Rows that are read at once: about three screens. */
const CHUNK = 100;

/** Milliseconds until what is in sight is read again. */
const REFRESH_MS = 3_000;

export interface ShownSessions {
  readonly view: SessionsView;
  readonly summary: SessionSummary;
  /** By position in the list, as far as it was read. */
  readonly rows: ReadonlyMap<number, SessionListing>;
}

interface Reading {
  readonly rows: Signal<Loaded<ShownSessions>>;
  /** Says which rows are in sight; they are read, and read again while the page is looked at. */
  readonly look: (first: number, last: number) => void;
}

/**
 * Rows of a list of any length: only what is in sight is read. While another view is read, the one before stays. `grown` hears
 * how many rows came on top of those in sight.
 */
export function useSessionRows(view: SessionsView, grown: (rows: number) => void): Reading {
  const rows = useSignal<Loaded<ShownSessions>>({ state: "loading" });
  const sight = useRef<readonly number[]>([0]);
  const reader = useRef<(() => Promise<void>) | null>(null);
  const key = JSON.stringify([parametersOf(view), blind.value]);
  const seen = revision.value;
  useEffect(() => {
    const stop = new AbortController();
    let reading = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = async () => {
      // What was asked for before may be answered later, and would bring back what was then.
      reading.abort();
      reading = new AbortController();
      const { signal } = reading;
      try {
        const [summary, ...pages] = await readChunks(view, sight.current, signal);
        if (!signal.aborted) show(summary, pages.flat());
      } catch (error) {
        if (!(signal.aborted || keepsRows(rows.peek(), error)))
          rows.value = { state: "failed", error: asFailed(error) };
      }
    };
    const show = (summary: SessionSummary, placed: Placed) => {
      const { value, more } = joined(rows.peek(), { view, summary, rows: new Map(placed) });
      rows.value = { state: "ready", value };
      if (more > 0 && isNewestFirst(view)) grown(more);
    };
    const again = async () => {
      if (!document.hidden) await read();
      if (!stop.signal.aborted) timer = setTimeout(() => void again(), REFRESH_MS);
    };
    reader.current = read;
    void again();
    return () => {
      stop.abort();
      reading.abort();
      clearTimeout(timer);
    };
  }, [key, seen]);
  const look = (first: number, last: number) => {
    const chunks = chunksOf(first, last);
    if (chunks.join() === sight.current.join()) return;
    sight.current = chunks;
    void reader.current?.();
  };
  return { rows, look };
}

/** What was read now, with what was read before and still stands where it stood. */
function joined(
  before: Loaded<ShownSessions>,
  now: ShownSessions,
): { readonly value: ShownSessions; readonly more: number } {
  if (before.state !== "ready" || before.value.view !== now.view) return { value: now, more: 0 };
  const more = now.summary.sessions - before.value.summary.sessions;
  return { value: more === 0 ? { ...now, rows: new Map([...before.value.rows, ...now.rows]) } : now, more };
}

/** While the server is away, its last answer is more use than an error. */
const keepsRows = (rows: Loaded<unknown>, error: unknown) =>
  rows.state === "ready" && asFailed(error).code === "unreachable";

const isNewestFirst = ({ sort = "created", order = "desc" }: SessionsView) => sort === "created" && order === "desc";

function chunksOf(first: number, last: number): readonly number[] {
  const [from, to] = [Math.floor(first / CHUNK), Math.floor(Math.max(first, last) / CHUNK)];
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

type Placed = readonly (readonly [position: number, row: SessionListing])[];

async function readChunks(
  { sort, order, ...chosen }: SessionsView,
  chunks: readonly number[],
  signal: AbortSignal,
): Promise<[SessionSummary, ...Placed[]]> {
  const filter = { ...chosen, blind: blindSearch() };
  const page = async (chunk: number): Promise<Placed> => {
    const asked = { ...filter, sort, order, limit: CHUNK, offset: chunk * CHUNK };
    return (await listSessions(asked, signal)).map((row, index) => [chunk * CHUNK + index, row]);
  };
  return await Promise.all([summarizeSessions(filter, signal), ...chunks.map(page)]);
}
