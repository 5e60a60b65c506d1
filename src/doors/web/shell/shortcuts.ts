import { signal } from "@preact/signals";
import { everyDecisionOpen } from "../evidence/open-decisions.ts";
import { blind, nextTheme, shortcutsOn } from "../preferences.ts";
import { navigate } from "../routes.ts";

export const helpOpen = signal(false);
export const paletteOpen = signal(false);
/** What is typed into the palette, also before its code is there. */
export const paletteText = signal("");

interface Shortcut {
  readonly keys: string;
  readonly does: string;
  readonly run: () => void;
  /** It can be done on every page. */
  readonly always?: boolean;
  /** What a page must have for it. */
  readonly needs?: string;
}

/** Leads to the comparison of what was picked; there when two were. */
const COMPARE = ".compare-bar a";

/** Where a reader votes blind; beside a verdict no single key votes. */
const BALLOT = ".neutral form.ballot";

/** `keys` are one or two keys, pressed one after the other. `?` works even when shortcuts are off. */
export const SHORTCUTS: readonly Shortcut[] = [
  { keys: "g h", does: "Go home", run: () => navigate("/"), always: true },
  { keys: "g s", does: "Go to the scenarios", run: () => navigate("/scenarios"), always: true },
  { keys: "g r", does: "Go to the sessions (runs)", run: () => navigate("/sessions"), always: true },
  { keys: "g t", does: "Go to the series (trials)", run: () => navigate("/series"), always: true },
  { keys: "g j", does: "Go to the judges", run: () => navigate("/judges"), always: true },
  { keys: "g d", does: "Go to the doctor", run: () => navigate("/doctor"), always: true },
  { keys: "/", does: "Go to the filter of a list", run: () => focusFirst("[data-filter]"), needs: "[data-filter]" },
  { keys: "j", does: "Next section or row", run: () => step(1), needs: "[data-stop]" },
  { keys: "k", does: "Previous section or row", run: () => step(-1), needs: "[data-stop]" },
  { keys: "Enter", does: "Open the section or row that has the focus", run: openStop, needs: "[data-stop]" },
  { keys: "x", does: "Pick an arm, or the series, of the row that has the focus", run: pickInRow, needs: ".pick" },
  { keys: "c", does: "Compare the two that are picked", run: comparePicked, needs: COMPARE },
  { keys: "e", does: "Open or close every decision on the page", run: toggleAll, needs: "details.decision" },
  { keys: "1", does: "Vote for the first", run: () => vote("first"), needs: BALLOT },
  { keys: "2", does: "Vote for the second", run: () => vote("second"), needs: BALLOT },
  { keys: "0", does: "Vote for neither", run: () => vote("neither"), needs: BALLOT },
  { keys: "b", does: "Blind mode on or off", run: () => (blind.value = !blind.value), always: true },
  { keys: "t", does: "Next theme: auto, light, dark", run: nextTheme, always: true },
  { keys: "?", does: "This help", run: () => (helpOpen.value = !helpOpen.value), always: true },
];

/** The shortcuts that do something on the current page. */
export const workingShortcuts = (): readonly Shortcut[] =>
  SHORTCUTS.filter(({ needs }) => needs === undefined || document.querySelector(needs) !== null);

let pending = "";

export function listenToKeys(): void {
  addEventListener("keydown", (event) => {
    if (opensPalette(event)) {
      event.preventDefault();
      if (paletteOpen.peek()) paletteOpen.value = false;
      else openPalette();
      return;
    }
    if (paletteOpen.peek() && typeAhead(event)) return;
    if (!isOurs(event)) return;
    const keys = pending === "" ? event.key : `${pending} ${event.key}`;
    pending = "";
    const shortcut = SHORTCUTS.find((candidate) => candidate.keys === keys);
    if (shortcut) {
      event.preventDefault();
      shortcut.run();
    } else if (SHORTCUTS.some((candidate) => candidate.keys.startsWith(`${event.key} `))) pending = event.key;
  });
}

export function openPalette(): void {
  paletteText.value = "";
  paletteOpen.value = true;
}

/** Until the palette's own field has the focus, its first keys are kept for it. */
function typeAhead(event: KeyboardEvent): boolean {
  if (document.querySelector(".palette[open]")) return false;
  const { key, ctrlKey, metaKey, altKey } = event;
  if (ctrlKey || metaKey || altKey) return false;
  if (key === "Escape") paletteOpen.value = false;
  else if (key === "Backspace") paletteText.value = paletteText.peek().slice(0, -1);
  else if (key.length === 1) paletteText.value += key;
  else return false;
  event.preventDefault();
  return true;
}

/** Also while a reader types. */
const opensPalette = ({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent) =>
  key.toLowerCase() === "k" && (ctrlKey || metaKey) && !altKey && !shiftKey;

function isOurs({ key, ctrlKey, metaKey, altKey, target }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || isTyping(target)) return false;
  // Links and buttons have their own.
  if (key === "Enter" && focusedStop() !== target) return false;
  return key === "?" || (shortcutsOn.peek() && !helpOpen.peek() && !paletteOpen.peek());
}

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(input|select|textarea)$/i.test(target.tagName))
    ? !(target instanceof HTMLInputElement && /^(checkbox|radio|range)$/.test(target.type))
    : false;

function focusFirst(selector: string): void {
  document.querySelector<HTMLElement>(selector)?.focus();
}

/** Moves the focus to the next or previous row of a list, or section of a page. */
function step(by: 1 | -1): void {
  const stops = [...document.querySelectorAll<HTMLElement>("[data-stop]")];
  // A row may stand in a section.
  const now = stops.findLastIndex((stop) => stop === document.activeElement || stop.contains(document.activeElement));
  const next = stops[now === -1 ? (by === 1 ? 0 : stops.length - 1) : now + by];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

const focusedStop = () => document.activeElement?.closest<HTMLElement>("[data-stop]") ?? null;

function openStop(): void {
  focusedStop()?.querySelector<HTMLElement>("a, summary")?.click();
}

/** One arm after the other, then none. */
function pickInRow(): void {
  const boxes = [...(focusedStop()?.querySelectorAll<HTMLInputElement>(".pick input:enabled") ?? [])];
  const next = boxes.find((box) => !box.checked);
  for (const box of next ? [next] : boxes) box.click();
}

function vote(choice: string): void {
  document.querySelector<HTMLElement>(`${BALLOT} [data-vote="${choice}"]`)?.click();
}

function comparePicked(): void {
  document.querySelector<HTMLElement>(COMPARE)?.click();
}

function toggleAll(): void {
  everyDecisionOpen.value = !everyDecisionOpen.peek();
  if (!everyDecisionOpen.peek()) return;
  for (const row of document.querySelectorAll("details.decision")) {
    const fold = row.closest<HTMLDetailsElement>("details.fold");
    if (fold) fold.open = true;
  }
}
