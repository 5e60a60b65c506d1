import { useSignal } from "@preact/signals";
import type { ComponentChildren, TargetedKeyboardEvent } from "preact";
import { type ReportAddress, readReport } from "../api.ts";
import { asFailed } from "../loaded.ts";

interface ShareProps {
  readonly report: ReportAddress;
  /** Of its picture. */
  readonly card: ReportAddress;
  /** What there is besides the whole page. */
  readonly more?: readonly { readonly format: string; readonly name: string }[];
}

/** Pages without what a blind reader must not know, without all texts, and with both timelines that play. */
export const MORE_OF_SESSION = [
  { format: "html-blind", name: "HTML, blind" },
  { format: "html-redacted", name: "HTML, figures only" },
  { format: "html-duel", name: "Duel (HTML)" },
] as const;

/** Ways to show it to somebody who has no access to this server. */
export function ShareWays({ report, card, more = [] }: ShareProps) {
  return (
    <Ways copied="Copy as Markdown" read={() => readReport(report("markdown"))}>
      {[{ format: "html", name: "HTML file" }, ...more].map(({ format, name }) => (
        <a key={format} href={report(format)} download>
          {name}
        </a>
      ))}
      {(["png", "svg"] as const).map((format) => (
        <a key={format} href={card(format)} download>
          Picture ({format.toUpperCase()})
        </a>
      ))}
    </Ways>
  );
}

/** Shares the address of a page that the browser computes: its reader needs the server too. */
export const ShareAddress = () => (
  <Ways copied="Copy the address" read={async () => location.href}>
    <span class="aside">It opens for whoever reaches this server.</span>
  </Ways>
);

interface WaysProps {
  /** What the button says, and what it copies. */
  readonly copied: string;
  readonly read: () => Promise<string>;
  readonly children: ComponentChildren;
}

function Ways({ copied, read, children }: WaysProps) {
  const said = useSignal("");
  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(await read());
      said.value = "Copied.";
    } catch (error) {
      said.value = `Not copied: ${asFailed(error).message}`;
    }
  }
  return (
    <details class="share" onKeyDown={closeOnEscape}>
      <summary class="button quiet">Share</summary>
      <div class="share-ways">
        {children}
        <button type="button" class="quiet" onClick={() => void copy()}>
          {copied}
        </button>
        <button type="button" class="quiet" onClick={() => print()}>
          Print
        </button>
        <span role="status" class="aside">
          {said.value}
        </span>
      </div>
    </details>
  );
}

/** The focus returns to what opened it. */
function closeOnEscape({ key, currentTarget }: TargetedKeyboardEvent<HTMLDetailsElement>): void {
  if (key !== "Escape") return;
  currentTarget.open = false;
  currentTarget.querySelector("summary")?.focus();
}
