import type { Flag } from "../../domain/verdict.ts";
import { Notice } from "../part/notice.tsx";
import { FLAG_TEXTS } from "./flags.ts";

const ORDER = { danger: 0, warn: 1, note: 2, good: 3 };

/**
 * What a reader must know before believing the verdict, the gravest first; small print in one line. That one run says
 * little already stands in every statement.
 */
export function Warnings({ flags }: { flags: readonly Flag[] }) {
  const texts = flags
    .filter((flag) => flag !== "single_trial")
    .map((flag) => ({ flag, ...FLAG_TEXTS[flag] }))
    .sort((one, other) => ORDER[one.tone] - ORDER[other.tone]);
  if (texts.length === 0) return null;
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
