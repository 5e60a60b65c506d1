import { useOpened } from "../part/use-opened.ts";
import { LineCounts } from "./counts.tsx";
import type { FileChange } from "./file-change.ts";
import { FileLines } from "./file-lines.tsx";
import { ShownText } from "./shown-text.tsx";

interface FileDiffProps {
  readonly change: FileChange;
  /** The line that a citation names. 0: the whole file. Null: none. */
  readonly cited: number | null;
  /** What is compared, as in "fixture to root-cause", where the file does not say it. */
  readonly between: string;
  /** Lines above which the file stays closed until the reader opens it. */
  readonly open_lines?: number;
  /** Both versions beside each other. */
  readonly beside?: boolean;
  /** Whether the reader is done with it; it is closed then. */
  readonly seen?: boolean;
  /** Absent where nobody asks. */
  readonly markSeen?: (seen: boolean) => void;
  readonly id?: string;
}

/** The lines of a file that is open at first: more take long to draw. */
const OPEN_LINES = 400;

export function FileDiff(props: FileDiffProps) {
  const { change, cited, between, open_lines = OPEN_LINES, beside = false, seen = false, markSeen, id } = props;
  const isShort = change.size <= open_lines;
  const opened = useOpened(isShort && !seen);
  const open = opened.value || cited !== null;
  return (
    // A fold that had the focus by itself would take it from all that is in it.
    <div id={id} class="file-stop" data-stop tabIndex={-1}>
      {markSeen && <SeenMark path={change.path} seen={seen} mark={markSeen} />}
      <details
        class="file"
        data-cited={cited === 0 || undefined}
        open={open}
        onToggle={(event) => (opened.value = event.currentTarget.open)}
      >
        <summary>
          <span class="file-path">
            <ShownText text={change.path} />
          </span>
          <span class="aside">{change.label ?? change.status}</span>
          <LineCounts change={change} />
        </summary>
        {open && <OpenFile change={change} cited={cited} between={change.between ?? between} beside={beside} />}
      </details>
    </div>
  );
}

function OpenFile({
  change,
  cited,
  between,
  beside,
}: Required<Pick<FileDiffProps, "change" | "cited" | "between" | "beside">>) {
  const text = change.read();
  return (
    <>
      {text.note && <p class="file-note">{text.note}</p>}
      {text.lines.length > 0 && (
        <FileLines path={change.path} text={text} cited={cited} label={`${change.path}: ${between}`} beside={beside} />
      )}
    </>
  );
}

/** A file that was seen closes, so its mark stands beside the fold: whoever ticked it can take that back. */
function SeenMark({ path, seen, mark }: { path: string; seen: boolean; mark: (seen: boolean) => void }) {
  return (
    <label class="check seen-mark">
      <input type="checkbox" checked={seen} onChange={({ currentTarget: { checked } }) => mark(checked)} />
      Seen<span class="hidden-text">: {path}</span>
    </label>
  );
}
