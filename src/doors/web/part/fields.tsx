import type { Signal } from "@preact/signals";

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

interface SelectFieldProps<Name extends string> {
  readonly label: string;
  readonly value: Name;
  readonly choices: readonly (readonly [name: Name, text: string])[];
  readonly pick: (name: Name) => void;
  readonly required?: boolean;
}

export function SelectField<Name extends string>({ label, value, choices, pick, required }: SelectFieldProps<Name>) {
  return (
    <label class="field">
      {label}
      <select
        value={value}
        required={required}
        onChange={(event) => pick(event.currentTarget.value as Name)} // one of the choices
      >
        {choices.map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
