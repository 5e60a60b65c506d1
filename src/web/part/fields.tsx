import type { Signal } from "@preact/signals";
import type { Scenario } from "../../domain/scenario.ts";

/** The filter of a list. The key `/` leads to it. */
export function FilterField({ label, filter }: { label: string; filter: Signal<string> }) {
  return (
    <label class="field filter">
      <span class="hidden-text">{label}</span>
      <input
        type="search"
        data-filter
        placeholder={label}
        value={filter.value}
        onInput={(event) => (filter.value = event.currentTarget.value)}
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
