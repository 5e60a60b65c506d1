import type { ComponentType } from "preact";
import { lostConnection, RequestFailed } from "../api.ts";
import { useLoaded } from "../loaded.ts";
import { Show } from "./show.tsx";

/** A page, or a part of one, whose code is read when it is first shown. `what` completes "Reading …". */
export function lazy<Props extends object>(
  read: () => Promise<ComponentType<Props>>,
  what = "this page",
): ComponentType<Props> {
  return function Lazy(props: Props) {
    const code = useLoaded("code", () => read().catch(away));
    return (
      <Show of={code} what={what}>
        {(Shown) => <Shown {...props} />}
      </Show>
    );
  };
}

/** Code that cannot be read is read again when the server is back. */
function away(): never {
  lostConnection();
  throw new RequestFailed("unreachable", "The server does not answer.");
}
