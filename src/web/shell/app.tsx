import { useEffect, useRef } from "preact/hooks";
import { connected } from "../connection.ts";
import { blind } from "../preferences.ts";
import { address, routeOf } from "../routes.ts";
import { CurrentPage } from "./current-page.tsx";
import { HelpDialog } from "./help-dialog.tsx";
import { Masthead } from "./masthead.tsx";

/** The frame around every page. */
export function App() {
  const main = useRef<HTMLElement>(null);
  const { pathname } = address.value;
  const arrived = useRef(pathname);
  useEffect(() => {
    // The first page keeps the browser's own focus; after that, a new page begins at its top for every reader.
    if (arrived.current !== pathname) main.current?.focus({ preventScroll: true });
    arrived.current = pathname;
  }, [pathname]);
  return (
    <>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <Masthead />
      <div role="status">
        {!connected.value && (
          <p class="connection">The server does not answer. Trying again every second; nothing here is lost.</p>
        )}
        {blind.value && (
          <p class="blind-reminder">
            <strong>Blind mode.</strong> Arm names and verdicts stay hidden until you have voted.
          </p>
        )}
      </div>
      <main id="main" ref={main} tabIndex={-1}>
        <CurrentPage route={routeOf(address.value)} />
      </main>
      <HelpDialog />
    </>
  );
}
