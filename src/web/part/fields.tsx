import type { Signal } from "@preact/signals";
import type { Scenario } from "../../domain/scenario.ts";

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
}

/** The name of a model. An empty field leaves the choice to the scenario or the server. */
export function ModelField({ label, model, ...input }: ModelFieldProps) {
  return (
    <label class="field">
      {label}
      <input
        {...input}
        value={model.value}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => (model.value = event.currentTarget.value)}
      />
    </label>
  );
}

export function JudgeField({ model, scenario }: { model: Signal<string>; scenario: Scenario }) {
  const usual = scenario.rubric.judge.model ?? "the server's default judge";
  return <ModelField label="Judge model" model={model} placeholder={usual} />;
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
