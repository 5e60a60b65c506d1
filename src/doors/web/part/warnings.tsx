import type { ComponentChildren } from "preact";
import type { CheckoutInput } from "../../../domain/checkout-input.ts";
import type { FlagText } from "../../../domain/flag-text.ts";
import { caveatPart } from "./caveats.tsx";
import { Notice } from "./notice.tsx";

interface WarningsProps<Flag extends string> {
  readonly flags: readonly Flag[];
  readonly textOf: (flag: Flag) => FlagText;
  /** What stands below the text of a flag. */
  readonly below: (flag: Flag) => ComponentChildren;
  /** What is graver than all of them. */
  readonly children?: ComponentChildren;
}

const ORDER = { danger: 0, warn: 1, note: 2, good: 3 };

/** What a reader must know before believing a result, the gravest first. Notes share one line. */
export function Warnings<Flag extends string>({ flags, textOf, below, children }: WarningsProps<Flag>) {
  const texts = flags
    .map((flag) => ({ flag, ...textOf(flag) }))
    .sort((one, other) => ORDER[one.tone] - ORDER[other.tone]);
  const notes = texts.filter(({ tone }) => tone === "note");
  if (texts.length === 0 && !children) return null;
  return (
    <div class="warnings">
      {children}
      {texts
        .filter(({ tone }) => tone !== "note")
        .map(({ flag, tone, title, text }) => (
          <Notice key={flag} id={caveatPart(flag)} tone={tone} title={title}>
            <p>
              {text} <code>{flag}</code>
            </p>
            {below(flag)}
          </Notice>
        ))}
      {notes.length > 0 && (
        <p class="small-print">
          {notes.map(({ flag, title, text }, index) => (
            <span key={flag}>
              {index > 0 && " "}
              <strong>{title}.</strong> {text}
            </span>
          ))}
        </p>
      )}
    </div>
  );
}

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
