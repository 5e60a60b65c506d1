import { type Static, Type } from "@sinclair/typebox";
import { NAMED_INPUTS } from "./defaults.ts";
import { oneOf, record } from "./schema.ts";

const CheckoutInput = record("CheckoutInput", {
  input: oneOf(["scenario", "log", "recording", "baseline", "results", "prices", "state_dir", "endpoint", "config"], {
    description:
      "`scenario`: the file, or what it names; `log`: what an imported run is made of; `endpoint`: where an arm or a check is asked, as the scenario says; `config`: defaults of flags, or variables.",
  }),
  path: Type.String({
    description: "From the top of the repository; `git:<ref>:<path>` for a file of a commit; of an endpoint its url.",
  }),
  pinned: Type.Optional(Type.Literal(true, { description: "Its SHA-256 was given by whoever ran this." })),
});
export type CheckoutInput = Static<typeof CheckoutInput>;

export const InputsFromCheckout = Type.Optional(
  Type.Array(CheckoutInput, {
    minItems: 1,
    maxItems: NAMED_INPUTS,
    description:
      "Inputs that differ from `--base`; without it, in CI, those in the git work tree: whoever wrote the change could edit them. Absent: none is known.",
  }),
);
