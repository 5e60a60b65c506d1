import type { CheckoutInput } from "./checkout-input.ts";
import { NAMED_INPUTS } from "./defaults.ts";

/** Something that a run reads. */
export interface NamedInput extends Pick<CheckoutInput, "input" | "pinned"> {
  readonly path: string;
  /** What readers are told in the place of the path; absent: the path. */
  readonly told_as?: string;
  /** A commit that it is read from; absent: it is a file or directory of this machine. */
  readonly ref?: string | undefined;
  /** The object of git that was read there; absent: it is looked up again. */
  readonly id?: string;
  /** SHA-256 of what was read of a file; absent: it is read again. */
  readonly sha256?: string;
  /** It counts only where the commit that is checked out has it: otherwise this job made it. */
  readonly committed?: true;
}

/** What holds results that somebody may have made up: while the author of a change can edit it, no gate opens. */
const canLie = ({ input, pinned }: CheckoutInput): boolean => !pinned && !HARMLESS.includes(input);

/** What they name runs anew. */
const HARMLESS: readonly CheckoutInput["input"][] = ["scenario", "prices", "endpoint", "config"];

export const shutsGate = (inputs: readonly CheckoutInput[] = []): boolean => inputs.some(canLie);

/** All that lists name, each once; undefined for none. */
export function allInputs(lists: readonly (readonly CheckoutInput[] | undefined)[]): CheckoutInput[] | undefined {
  const all = [...new Map(lists.flatMap((list = []) => list).map((one) => [JSON.stringify(one), one])).values()];
  const ordered = [...all.filter(canLie), ...all.filter((one) => !canLie(one))].slice(0, NAMED_INPUTS);
  return ordered.length === 0 ? undefined : ordered;
}

const SHOWN = 5;

/** What could have been edited, as a clause. */
export function checkoutText(inputs: readonly CheckoutInput[]): string {
  const named = inputs.slice(0, SHOWN).map(({ input, path, pinned }) => `${input} ${path}${pinned ? " (pinned)" : ""}`);
  const more = inputs.length > SHOWN ? ` and ${inputs.length - SHOWN} more` : "";
  const so = shutsGate(inputs) ? "so no gate opens" : "which shuts no gate";
  return `the author of the change can edit ${named.join(", ")}${more}, ${so}`;
}
