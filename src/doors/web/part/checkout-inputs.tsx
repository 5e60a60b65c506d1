import type { CheckoutInput } from "../../../domain/checkout-input.ts";

/** What the author of a change could have edited. */
export const CheckoutInputs = ({ inputs = [] }: { inputs: readonly CheckoutInput[] | undefined }) => (
  <ul>
    {inputs.map(({ input, path, pinned }) => (
      <li key={`${input} ${path}`}>
        {input.replace("_", " ")} <code>{path}</code>
        {pinned && ", pinned by its SHA-256"}
      </li>
    ))}
  </ul>
);
