import { useEffect, useRef } from "preact/hooks";
import { shortcutsOn } from "../preferences.ts";
import { helpOpen, SHORTCUTS } from "./shortcuts.ts";

/** What each key does. The browser's dialog keeps the focus inside and closes on Escape. */
export function HelpDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  const open = helpOpen.value;
  useEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  return (
    <dialog ref={dialog} class="help" aria-labelledby="help-title" onClose={() => (helpOpen.value = false)}>
      <h2 id="help-title">Keyboard</h2>
      <dl class="keys">
        {SHORTCUTS.map(({ keys, does }) => (
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
