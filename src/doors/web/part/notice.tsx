import type { ComponentChildren } from "preact";
import type { Tone } from "../../../domain/flag-text.ts";

const MARKS: Record<Tone, string> = { note: "i", warn: "!", danger: "✕", good: "✓" };
const SPOKEN: Record<Tone, string> = { note: "Note", warn: "Warning", danger: "Serious", good: "Good" };

interface NoticeProps {
  /** A link leads to it. */
  readonly id?: string;
  readonly tone: Tone;
  readonly title: string;
  readonly children?: ComponentChildren;
}

/** Something the reader should know before reading on. */
export function Notice({ id, tone, title, children }: NoticeProps) {
  return (
    <div class={`notice tone-${tone}`} id={id} tabIndex={id === undefined ? undefined : -1}>
      <span class="notice-mark" aria-hidden="true">
        {MARKS[tone]}
      </span>
      <div>
        <p class="notice-title">
          <span class="hidden-text">{SPOKEN[tone]}: </span>
          {title}
        </p>
        {children}
      </div>
    </div>
  );
}
