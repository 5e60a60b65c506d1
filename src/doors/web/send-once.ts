import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { RequestFailed } from "./api.ts";
import { connected } from "./api.ts";
import { asFailed } from "./loaded.ts";
import { address } from "./routes.ts";

interface Sending<Mark, Effect> {
  /** What tells later whether the server did what it was asked; read before it is asked. */
  readonly mark: () => Promise<Mark>;
  readonly send: () => Promise<Effect>;
  /** What the server did since the mark; null when nothing. */
  readonly find: (mark: Mark) => Promise<Effect | null>;
  /** `from`: where the reader was when the form was sent. */
  readonly done: (effect: Effect, from: URL) => void;
}

/** What is known of a request that was not answered. */
export type Unanswered<Effect> =
  /** The server was away before it was asked. */
  | { readonly state: "not_sent" }
  /** It was asked and went away; whether it did it is known when it is back. */
  | { readonly state: "unknown" }
  | { readonly state: "not_done" }
  | { readonly state: "done"; readonly effect: Effect };

/** Finds the first row that came after `newest`, in a list that has the newest first. */
export function firstSince<Row extends { readonly id: string }>(
  rows: readonly Row[],
  newest: string | null,
  isOfKind: (row: Row) => boolean = () => true,
): Row | null {
  const known = rows.findIndex(({ id }) => id === newest);
  return (known === -1 ? rows : rows.slice(0, known)).findLast(isOfKind) ?? null;
}

export interface SentOnce<Effect> {
  readonly busy: Signal<boolean>;
  /** Why the server refused. */
  readonly failure: Signal<RequestFailed | null>;
  readonly unanswered: Signal<Unanswered<Effect> | null>;
  readonly onSubmit: (event: Event) => void;
}

/**
 * Sends a form whose effect costs something and must not come twice. Where no answer came it stays busy until the server is back,
 * and then looks for the effect. After a success it stays busy, because another page follows.
 */
export function useSendOnce<Mark, Effect>(sending: Sending<Mark, Effect>): SentOnce<Effect> {
  const busy = useSignal(false);
  const failure = useSignal<RequestFailed | null>(null);
  const unanswered = useSignal<Unanswered<Effect> | null>(null);
  const marked = useRef<Mark | undefined>(undefined);
  const settle = (known: Unanswered<Effect> | null) => {
    unanswered.value = known;
    busy.value = known?.state === "unknown";
  };
  async function submit(): Promise<void> {
    busy.value = true;
    failure.value = null;
    unanswered.value = null;
    const from = address.peek();
    let isSent = false;
    try {
      marked.current = await sending.mark();
      isSent = true;
      sending.done(await sending.send(), from);
    } catch (error) {
      const failed = asFailed(error);
      if (failed.code === "unreachable") return settle({ state: isSent ? "unknown" : "not_sent" });
      settle(null);
      failure.value = failed;
    }
  }
  async function look(mark: Mark): Promise<void> {
    try {
      const effect = await sending.find(mark);
      settle(effect === null ? { state: "not_done" } : { state: "done", effect });
    } catch (error) {
      const failed = asFailed(error);
      if (failed.code === "unreachable") return; // it is asked again when the server is back
      settle(null);
      failure.value = failed;
    }
  }
  const isBack = connected.value && unanswered.value?.state === "unknown";
  useEffect(() => {
    if (isBack && marked.current !== undefined) void look(marked.current);
  }, [isBack]);
  const onSubmit = (event: Event) => {
    event.preventDefault();
    void submit();
  };
  return { busy, failure, unanswered, onSubmit };
}
