import { type ReadonlySignal, signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { RequestFailed, revision } from "./api.ts";

export type Loaded<T> =
  | { readonly state: "loading" }
  | { readonly state: "failed"; readonly error: RequestFailed }
  | { readonly state: "ready"; readonly value: T };

const LOADING: Loaded<never> = { state: "loading" };
const NOTHING = signal<Loaded<never>>(LOADING);

/** Milliseconds until what still changes is read again: a reader sees it move, and a server with ten readers does not feel it. */
const REFRESH_MS = 2_000;

interface LoadOptions<T> {
  /** A value that still changes is loaded again every two seconds. */
  readonly changes?: (value: T) => boolean;
  /** How much of it is wanted. */
  readonly extent?: number;
}

/**
 * Loads when the page is shown, when `key` or the extent changes and when the server is back. The key null loads nothing. While
 * the same key is loaded again, the value before stays; what another key loaded is never shown for this one.
 */
export function useLoaded<T>(
  key: string | null,
  load: (signal: AbortSignal) => Promise<T>,
  { changes, extent = 0 }: LoadOptions<T> = {},
): ReadonlySignal<Loaded<T>> {
  const loaded = useSignal<Loaded<T>>(LOADING);
  const shown = useSignal<string | null>(null);
  const seen = revision.value;
  // `load` is new at every rendering; the key stands for what it reads.
  useEffect(() => {
    if (key === null) return;
    const stop = new AbortController();
    if (shown.peek() !== key || loaded.peek().state === "failed") loaded.value = LOADING;
    shown.value = key;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = () =>
      void load(stop.signal).then(
        (value) => {
          if (stop.signal.aborted) return;
          loaded.value = { state: "ready", value };
          if (changes?.(value)) timer = setTimeout(read, REFRESH_MS);
        },
        (error: unknown) => {
          if (!stop.signal.aborted && !keepsValue(loaded.peek(), error))
            loaded.value = { state: "failed", error: asFailed(error) };
        },
      );
    read();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [key, seen, extent]);
  return shown.value === key ? loaded : NOTHING;
}

/** While the server is away, its last answer is more use than an error. */
const keepsValue = (loaded: Loaded<unknown>, error: unknown) =>
  loaded.state === "ready" && asFailed(error).code === "unreachable";

export function asFailed(error: unknown): RequestFailed {
  if (error instanceof RequestFailed) return error;
  return new RequestFailed("unreadable", error instanceof Error ? error.message : String(error));
}

/** Sends a form and keeps why it failed. It stays busy after a success, because another page follows. */
export function useSubmission(send: () => Promise<void>) {
  const busy = useSignal(false);
  const failure = useSignal<RequestFailed | null>(null);
  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    busy.value = true;
    failure.value = null;
    try {
      await send();
    } catch (error) {
      failure.value = asFailed(error);
      busy.value = false;
    }
  }
  return { busy, failure, onSubmit: (event: Event) => void submit(event) };
}
