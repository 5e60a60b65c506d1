import type { ComponentType } from "preact";
import { useLoaded } from "../loaded.ts";
import { Show } from "./show.tsx";

/** A page whose code is read when it is first shown. */
export function lazy<Props extends object>(read: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  return function Lazy(props: Props) {
    const code = useLoaded("code", read);
    return (
      <Show of={code} what="this page">
        {(Shown) => <Shown {...props} />}
      </Show>
    );
  };
}
