import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { SessionListing } from "../../../domain/session-list.ts";
import { listScenarios, listSeries, listSessions } from "../api.ts";
import { when, words } from "../format.ts";
import { useLoaded } from "../loaded.ts";
import { blind, blindSearch } from "../preferences.ts";
import { navigate, toScenario, toSeries, toSession } from "../routes.ts";
import { paletteOpen, paletteText, SHORTCUTS } from "./shortcuts.ts";

/** Something that can be gone to or done. */
interface Choice {
  /** No other has it: names may be alike. */
  readonly key: string;
  readonly kind: "Action" | "Scenario" | "Series" | "Session";
  readonly name: string;
  readonly aside: string;
  readonly run: () => void;
}

/** Choices shown of each kind. */
const SHOWN = 8;
/** Words that the server looks for. */
const WORDS = 8;

const goTo = (path: string) => ({ key: path, run: () => navigate(path) });

const ACTIONS: readonly Choice[] = SHORTCUTS.filter(({ always }) => always).map(({ keys, does, run }) => ({
  ...{ key: keys, kind: "Action", name: does, aside: keys, run },
}));

/** Finds scenarios, series, sessions and actions. Sessions are found by the server, among all of them. */
export function Palette() {
  const dialog = useRef<HTMLDialogElement>(null);
  /** By its key: choices that are read later may stand before it. */
  const chosen = useSignal<string | null>(null);
  const wanted = paletteText.value.trim().toLowerCase();
  const choices = useChoices(wanted);
  const active = Math.max(
    0,
    choices.findIndex(({ key }) => key === chosen.value),
  );
  useEffect(() => dialog.current?.showModal(), []);
  useEffect(() => document.getElementById(`choice-${active}`)?.scrollIntoView({ block: "nearest" }), [active]);
  const choose = (choice: Choice | undefined) => {
    if (!choice) return;
    paletteOpen.value = false;
    choice.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const next = choices[(active + (step ?? 0) + choices.length) % Math.max(1, choices.length)];
    if (step) chosen.value = next?.key ?? null;
    else if (event.key === "Enter") choose(choices[active]);
    else return;
    event.preventDefault();
  };
  return (
    <dialog ref={dialog} class="palette" aria-label="Go to" onClose={() => (paletteOpen.value = false)}>
      <input
        type="text"
        value={paletteText.value}
        role="combobox"
        aria-label="Find a scenario, series, session or action"
        aria-expanded="true"
        aria-controls="choices"
        aria-activedescendant={choices.length > 0 ? `choice-${active}` : undefined}
        autocomplete="off"
        spellcheck={false}
        maxLength={200}
        placeholder="Scenario, series, session or action"
        onKeyDown={onKeyDown}
        onInput={(event) => {
          paletteText.value = event.currentTarget.value;
          chosen.value = null;
        }}
      />
      <div id="choices" role="listbox" aria-label="Found" tabIndex={-1}>
        {choices.map((choice, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and the keys
          <div
            key={choice.key}
            id={`choice-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === active}
            onClick={() => choose(choice)}
          >
            <span class="aside">{choice.kind}</span>
            <bdi>{choice.name}</bdi>
            <bdi class="aside">{choice.aside}</bdi>
          </div>
        ))}
      </div>
      {choices.length === 0 && (
        <p class="empty" role="status">
          Nothing is like that.
        </p>
      )}
    </dialog>
  );
}

function useChoices(wanted: string): readonly Choice[] {
  const named = wanted.split(/\s+/).filter(Boolean);
  const like = ({ name, aside }: Choice) => named.every((word) => `${name} ${aside}`.toLowerCase().includes(word));
  const scenarios = useLoaded("scenarios", listScenarios).value;
  const series = useLoaded("series", (signal) => listSeries({ limit: 100 }, signal)).value;
  const text = named.slice(0, WORDS).join(" ");
  const sessions = useLoaded(`sessions ${text}`, (signal) =>
    listSessions({ text, blind: blindSearch(), limit: SHOWN }, signal),
  ).value;
  const ofScenarios = scenarios.state === "ready" ? scenarios.value : [];
  const ofSeries = series.state === "ready" ? series.value : [];
  const ofSessions = sessions.state === "ready" ? sessions.value : [];
  return [
    ...ofScenarios
      .map(({ name, title }): Choice => ({ kind: "Scenario", name: title, aside: name, ...goTo(toScenario(name)) }))
      .filter(like)
      .slice(0, SHOWN),
    ...ACTIONS.filter(like).slice(0, SHOWN),
    ...ofSeries
      .map(
        ({ series_id, scenarios: of }): Choice => ({
          ...{ kind: "Series", name: of.join(", "), aside: series_id, ...goTo(toSeries(series_id)) },
        }),
      )
      .filter(like)
      .slice(0, SHOWN),
    ...ofSessions.map(
      (row): Choice => ({
        ...{ kind: "Session", name: `${row.scenario}, ${when(row.created_at)}` },
        ...{ aside: resultOf(row), ...goTo(toSession(row.session_id)) },
      }),
    ),
  ];
}

function resultOf({ state, outcome, winner }: SessionListing): string {
  if (blind.value || outcome === null) return words(state);
  return winner === null ? words(outcome) : `${winner} won`;
}
