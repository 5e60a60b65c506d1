import type { Signal } from "@preact/signals";
import { useId } from "preact/hooks";
import { isScripted } from "../../domain/offline-model.ts";
import type { Scenario } from "../../domain/scenario.ts";
import type { SessionTally } from "../../domain/session-list.ts";
import { summarizeSessions } from "../api.ts";
import { useLoaded } from "../loaded.ts";

interface FilterFieldProps {
  readonly label: string;
  readonly filter: string;
  readonly set: (filter: string) => void;
}

/** The filter of a list. The key `/` leads to it. */
export function FilterField({ label, filter, set }: FilterFieldProps) {
  return (
    <label class="field filter">
      <span class="hidden-text">{label}</span>
      <input
        type="search"
        data-filter
        placeholder={label}
        value={filter}
        onInput={(event) => set(event.currentTarget.value)}
      />
    </label>
  );
}

interface ModelFieldProps {
  readonly label: string;
  readonly model: Signal<string>;
  readonly placeholder: string;
  readonly pattern?: string;
  readonly title?: string;
  /** Names to choose from; any other can be typed. */
  readonly suggested?: readonly string[];
}

/** The name of a model. An empty field leaves the choice to the scenario or the server. */
export function ModelField({ label, model, suggested = [], ...input }: ModelFieldProps) {
  const list = useId();
  return (
    <label class="field">
      {label}
      <input
        {...input}
        list={list}
        value={model.value}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => (model.value = event.currentTarget.value)}
      />
      <datalist id={list}>
        {suggested.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </label>
  );
}

/** Models and judges of stored sessions: what worked here can be chosen again. */
export function useUsedNames(): { readonly models: readonly string[]; readonly judges: readonly string[] } {
  const summary = useLoaded("names", (signal) => summarizeSessions({ names: "all" }, signal)).value;
  const known = summary.state === "ready" ? summary.value.known : undefined;
  const names = (tallies: readonly SessionTally[] = []) => tallies.map(({ name }) => name);
  // What replays a script belongs to its scenario.
  return { models: names(known?.models).filter((name) => !isScripted(name)), judges: names(known?.judges) };
}

export function JudgeField({ model, scenario }: { model: Signal<string>; scenario: Scenario }) {
  const { judges } = useUsedNames();
  const usual = scenario.rubric.judge.model ?? "the server's default judge";
  return (
    <ModelField
      label="Judge model"
      model={model}
      placeholder={usual}
      suggested={[...new Set(["builtin/evidence", ...judges])]}
    />
  );
}

interface NumberFieldProps {
  readonly label: string;
  readonly value: Signal<number>;
  readonly min: number;
  readonly max: number;
}

/** A whole number; the browser refuses what lies outside. */
export function NumberField({ label, value, min, max }: NumberFieldProps) {
  return (
    <label class="field number-field">
      {label}
      <input
        type="number"
        required
        {...{ min, max }}
        value={value.value}
        onInput={(event) => (value.value = event.currentTarget.valueAsNumber)}
      />
    </label>
  );
}

export function CheckField({ label, value }: { label: string; value: Signal<boolean> }) {
  return (
    <label class="check">
      <input type="checkbox" checked={value.value} onChange={(event) => (value.value = event.currentTarget.checked)} />
      {label}
    </label>
  );
}
