import type { Flag } from "../../domain/verdict.ts";
import { Notice } from "../part/notice.tsx";
import { FLAG_TEXTS } from "./flags.ts";

const ORDER = { danger: 0, warn: 1, note: 2, good: 3 };

/** What a reader must know before believing the verdict, the gravest first; small print in one line. */
export function Warnings({ flags }: { flags: readonly Flag[] }) {
  const texts = flags
    .map((flag) => ({ flag, ...FLAG_TEXTS[flag] }))
    .sort((one, other) => ORDER[one.tone] - ORDER[other.tone]);
  const notes = texts.filter(({ tone }) => tone === "note");
  return (
    <div class="warnings">
      {texts
        .filter(({ tone }) => tone !== "note")
        .map(({ flag, tone, title, text }) => (
          <Notice key={flag} tone={tone} title={title}>
            <p>
              {text} <code>{flag}</code>
            </p>
          </Notice>
        ))}
      {notes.length > 0 && (
        <p class="small-print">
          {notes.map(({ flag, title, text }, index) => (
            <span key={flag}>
              {index > 0 && " "}
              <strong>{title}:</strong> {text}.
            </span>
          ))}
        </p>
      )}
    </div>
  );
}
