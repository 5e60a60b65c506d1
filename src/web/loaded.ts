import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { RequestFailed } from "./api.ts";
import { revision } from "./connection.ts";

export type Loaded<T> =
  | { readonly state: "loading" }
  | { readonly state: "failed"; readonly error: RequestFailed }
  | { readonly state: "ready"; readonly value: T };

const LOADING: Loaded<never> = { state: "loading" };

/**
 * What `load` brings, again whenever `key` changes or the server is back; null loads nothing. A value stays in sight
 * while the same key is read again.
 */
export function useLoaded<T>(key: string | null, load: (signal: AbortSignal) => Promise<T>): Signal<Loaded<T>> {
  const loaded = useSignal<Loaded<T>>(LOADING);
  const shown = useSignal<string | null>(null);
  const seen = revision.value;
  // The key stands for what `load` reads; `seen` asks again.
  useEffect(() => {
    if (key === null) return;
    const stop = new AbortController();
    if (shown.peek() !== key) loaded.value = LOADING;
    shown.value = key;
    load(stop.signal).then(
      (value) => {
        if (!stop.signal.aborted) loaded.value = { state: "ready", value };
      },
      (error: unknown) => {
        if (!stop.signal.aborted && !keepsSight(loaded.peek(), error))
          loaded.value = { state: "failed", error: asFailed(error) };
      },
    );
    return () => stop.abort();
  }, [key, seen]);
  return loaded;
}

/** While the server is away, the last thing it said is worth more than an error. */
const keepsSight = (loaded: Loaded<unknown>, error: unknown) =>
  loaded.state === "ready" && asFailed(error).code === "unreachable";

export function asFailed(error: unknown): RequestFailed {
  if (error instanceof RequestFailed) return error;
  return new RequestFailed("unreadable", error instanceof Error ? error.message : String(error));
}
