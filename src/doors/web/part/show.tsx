import type { ReadonlySignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import type { RequestFailed } from "../api.ts";
import { revision } from "../api.ts";
import type { Loaded } from "../loaded.ts";
import { Notice } from "./notice.tsx";

interface ShowProps<T> {
  readonly of: ReadonlySignal<Loaded<T>>;
  /** Completes "Reading …" and "Could not read …". */
  readonly what: string;
  readonly children: (value: T) => ComponentChildren;
}

/** Shows a value, or that it is being read, or why it could not be read. */
export function Show<T>({ of, what, children }: ShowProps<T>) {
  const loaded = of.value;
  if (loaded.state === "loading")
    return (
      <p class="loading" role="status">
        Reading {what} …
      </p>
    );
  if (loaded.state === "failed") return <Failed what={what} error={loaded.error} />;
  return <>{children(loaded.value)}</>;
}

const NOT_THERE: ReadonlySet<string> = new Set([
  "unknown_scenario",
  "unknown_session",
  "unknown_series",
  "unknown_arm",
  "unknown_self_test",
  "unknown_route",
]);

function Failed({ what, error }: { what: string; error: RequestFailed }) {
  const missing = NOT_THERE.has(error.code);
  return (
    <div class="failed" role="alert">
      <Notice tone={missing ? "warn" : "danger"} title={missing ? "Not found" : `Could not read ${what}`}>
        <p>{error.message}</p>
        {!missing && (
          <button type="button" onClick={() => (revision.value += 1)}>
            Try again
          </button>
        )}
      </Notice>
    </div>
  );
}

/** Why a form was not carried out. Its own button tries again. */
export function Refused({ error }: { error: RequestFailed }) {
  return (
    <div role="alert">
      <Notice tone="danger" title={error.code === "unreachable" ? "The server does not answer" : "This was refused"}>
        <p>{error.message}</p>
      </Notice>
    </div>
  );
}
