import { useEffect, useRef } from "preact/hooks";
import { shortcutsOn } from "../preferences.ts";
import { helpOpen, workingShortcuts } from "./shortcuts.ts";

/** The browser's own dialog keeps the focus inside, closes on Escape, and gives the focus back when it is closed. */
export function HelpDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    // The first control turns the shortcuts off.
    shown?.focus();
    return () => shown?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      class="help"
      tabIndex={-1}
      aria-labelledby="help-title"
      onClose={() => (helpOpen.value = false)}
    >
      <h2 id="help-title">Keyboard</h2>
      <dl class="keys">
        <div>
          <dt>
            <kbd>Ctrl</kbd> <kbd>K</kbd>
          </dt>
          <dd>Find a scenario, series, session or action</dd>
        </div>
        {workingShortcuts().map(({ keys, does }) => (
          <div key={keys}>
            <dt>
              {keys.split(" ").map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <p>
        Everything else is reached with Tab, Enter, Space and the arrow keys: decisions and files open with Enter,
        weights move with the arrows, and a citation leads to what it cites.
      </p>
      <label class="check">
        <input
          type="checkbox"
          checked={shortcutsOn.value}
          onChange={(event) => (shortcutsOn.value = event.currentTarget.checked)}
        />
        Single-key shortcuts
      </label>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}
