import { type Static, Type } from "@sinclair/typebox";
import { InputsFromCheckout } from "./checkout-input.ts";
import { Price } from "./price-list.ts";
import { Count, nullable, oneOf, record } from "./schema.ts";

export const SANDBOX_MODES = ["auto", "bubblewrap", "none"] as const;
/** `auto`: bubblewrap where it works; without it only commands that stand in the scenario file run. */
export type SandboxMode = (typeof SANDBOX_MODES)[number];

export const ScriptChoice = record("ScriptChoice", {
  seed: Type.String({ description: "The scenario's digest unless another was given." }),
  trial: Type.Integer({ minimum: 1, description: "In a series: its number if no trial is lost." }),
  chosen: Count("Position in the arm's `scripts`, from 0."),
});
export type ScriptChoice = Static<typeof ScriptChoice>;

export const SessionSettings = record("SessionSettings", {
  sandbox: oneOf(["bubblewrap", "none"]),
  sandbox_note: nullable(Type.String(), { description: "What is not contained, when something is not." }),
  call_timeout_ms: Count("One provider call."),
  provider_tries: Count("Tries of one provider call."),
  max_output_tokens: Count("Sent with a model turn unless the arm says otherwise."),
  prices: Type.Optional(
    record(
      "SessionPrices",
      { arms: Type.Record(Type.String(), nullable(Price), { description: "By arm id." }), judge: nullable(Price) },
      { description: "USD per million tokens that this run was counted with; null = unknown." },
    ),
  ),
  max_cost_usd: Type.Optional(
    nullable(Type.Number({ exclusiveMinimum: 0 }), { description: "Of arms and judge together; null = no limit." }),
  ),
  scripts: Type.Optional(
    Type.Record(Type.String(), ScriptChoice, {
      description: "By arm id: which of its weighted scripts an arm replayed. Absent when no arm had a choice.",
    }),
  ),
  replayed: Type.Optional(
    Type.Array(Type.String(), {
      description: "Ids of the arms whose models' replies came from a recording, and `judge`. Absent: all were live.",
    }),
  ),
  inputs_from_checkout: InputsFromCheckout,
});
export type SessionSettings = Static<typeof SessionSettings>;
