import type { Arm, Scenario } from "../../domain/scenario.ts";

/** What sets two arms apart, in an arm's own words; a script and the name after `scripted/` never count. */
export interface Difference {
  readonly field: string;
  /** It is what the scenario says that it varies. */
  readonly declared: boolean;
  readonly a: string;
  readonly b: string;
}

const FIELDS: readonly (readonly [field: string, text: (arm: Arm) => string])[] = [
  ["model", ({ model }) => model.replace(/^scripted\/.*/, "scripted")],
  ["system_prompt", ({ system_prompt }) => system_prompt.trim()],
  ["tools", ({ tools }) => [...tools].sort().join(", ")],
  ["params", ({ params }) => listed(params)],
  ["limits", ({ limits }) => listed(limits)],
];

const listed = (settings: Readonly<Record<string, unknown>>) =>
  Object.entries(settings)
    .map(([name, value]) => `${name}: ${value}`)
    .sort()
    .join(", ") || "as everywhere";

export function differencesOf({ arms: [a, b], varies }: Scenario): Difference[] {
  return FIELDS.map(([field, text]) => ({
    field,
    declared: varies?.includes(field) ?? false,
    a: text(a),
    b: text(b),
  })).filter((difference) => difference.a !== difference.b);
}
