import { useEffect, useRef } from "preact/hooks";
import type { SessionSummary, SessionTally } from "../../../domain/session-list.ts";
import { STATES } from "../../../domain/session-state.ts";
import { count, words } from "../format.ts";
import { SelectField } from "../part/fields.tsx";
import { blind } from "../preferences.ts";
import { navigate, toSessions } from "../routes.ts";
import { outcomeText } from "../verdict/outcome.tsx";
import { isFiltered, type SessionsView } from "./sessions-view.ts";

/** Milliseconds after the last key until the server is asked. */
const TYPED_MS = 200;

interface FiltersProps {
  readonly view: SessionsView;
  /** Undefined until it is read. */
  readonly known: SessionSummary["known"];
  readonly set: (change: SessionsView) => void;
}

const OUTCOMES = ["winner", "tie", "inconclusive", "inconsistent", "invalid"].map(
  (name) => [name, outcomeText(name).toLowerCase()] as const,
);

const STATE_CHOICES = STATES.map((name) => [name, words(name)] as const);

const tallied = (tallies: readonly SessionTally[] = []) =>
  tallies.map(({ name, sessions }) => [name, `${name} (${count(sessions)})`] as const);

/** By what the server chooses sessions. The address keeps it. */
export function SessionFilters({ view, known, set }: FiltersProps) {
  const typed = useTyped(set);
  return (
    <search class="session-filters">
      <TextFilter text={view.text ?? ""} typed={typed} />
      <Choice label="Scenario" field="scenario" choices={tallied(known?.scenarios)} {...{ view, set }} />
      <Choice label="State" field="state" choices={STATE_CHOICES} {...{ view, set }} />
      {!blind.value && <Choice label="Outcome" field="outcome" choices={OUTCOMES} {...{ view, set }} />}
      {!blind.value && <Choice label="Model" field="model" choices={tallied(known?.models)} {...{ view, set }} />}
      <Choice label="Judge" field="judge" choices={tallied(known?.judges)} {...{ view, set }} />
      {(known?.users || view.user) && (
        <Choice label="User" field="user" choices={tallied(known?.users)} {...{ view, set }} />
      )}
      {isFiltered(view) && (
        <button
          type="button"
          class="quiet"
          onClick={() => {
            typed.forget();
            navigate(toSessions(), { replace: true });
          }}
        >
          Clear
        </button>
      )}
    </search>
  );
}

/** Looks for the words that were typed, when the last key was some time ago; not of a reader who has gone elsewhere since. */
function useTyped(set: FiltersProps["set"]) {
  const field = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const type = (words: string) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => set({ text: words }), TYPED_MS);
  };
  const forget = () => {
    clearTimeout(timer.current);
    if (field.current) field.current.value = "";
  };
  return { field, type, forget };
}

function TextFilter({ text, typed: { field, type } }: { text: string; typed: ReturnType<typeof useTyped> }) {
  useEffect(() => {
    // Back and Clear change it; a reader who types is not disturbed.
    if (field.current && document.activeElement !== field.current) field.current.value = text;
  }, [text]);
  return (
    <label class="field filter">
      <span>Find</span>
      <input
        ref={field}
        type="search"
        data-filter
        placeholder={`Words of id, title, arm, model, judge, ${blind.value ? "state" : "result"}`}
        maxLength={200}
        defaultValue={text}
        onInput={(event) => type(event.currentTarget.value.trim().split(/\s+/, 8).join(" "))}
      />
    </label>
  );
}

interface ChoiceProps extends Pick<FiltersProps, "view" | "set"> {
  readonly label: string;
  readonly field: "scenario" | "state" | "outcome" | "model" | "judge" | "user";
  readonly choices: readonly (readonly [name: string, text: string])[];
}

function Choice({ label, field, choices, view, set }: ChoiceProps) {
  const value = view[field] ?? "";
  const unlisted = value === "" || choices.some(([name]) => name === value) ? [] : [[value, value] as const];
  const pick = (name: string) => set({ [field]: name || undefined } as SessionsView); // one of the choices
  return <SelectField {...{ label, value, pick }} choices={[["", "any"], ...unlisted, ...choices]} />;
}
