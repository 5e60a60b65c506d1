import { useSignal } from "@preact/signals";
import { readReport } from "../api.ts";
import { asFailed } from "../loaded.ts";

interface ShareProps {
  /** The address of its reports. */
  readonly path: string;
  /** What there is besides the whole page. */
  readonly less?: readonly { readonly format: string; readonly name: string }[];
}

/** Without what a reader who is to judge must not know, and without what anybody wrote. */
export const LESS_OF_SESSION = [
  { format: "html-blind", name: "HTML, blind" },
  { format: "html-redacted", name: "HTML, figures only" },
] as const;

/** Ways to show it to somebody who has no access to this server. */
export function Share({ path, less = [] }: ShareProps) {
  const said = useSignal("");
  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(await readReport(`${path}?format=markdown`));
      said.value = "Copied.";
    } catch (error) {
      said.value = `Not copied: ${asFailed(error).message}`;
    }
  }
  return (
    <details class="share">
      <summary class="button quiet">Share</summary>
      <div class="share-ways">
        {[{ format: "html", name: "HTML file" }, ...less].map(({ format, name }) => (
          <a key={format} href={`${path}?format=${format}`} download>
            {name}
          </a>
        ))}
        <button type="button" class="quiet" onClick={() => void copy()}>
          Copy as Markdown
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
