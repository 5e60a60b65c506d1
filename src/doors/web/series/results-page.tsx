import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { RESULTS_BODY_BYTES } from "../../../domain/defaults.ts";
import { RequestFailed, sendResults } from "../api.ts";
import { countOf } from "../format.ts";
import { asFailed } from "../loaded.ts";
import { Page, PagePart } from "../part/page.tsx";
import { Refused } from "../part/show.tsx";
import { navigate, toSeries } from "../routes.ts";

/** Scores that differ by no more are a tie. */
const TIE_MARGIN = 0.05;

const EXAMPLE = `scenario,trial,arm,passed
refund,1,old,false
refund,1,new,true
refund,2,old,true
refund,2,new,true`;

/** Takes a table of results, and leads to the series that it is. */
export function ResultsPage() {
  const table = useSignal<File | null>(null);
  const failure = useSignal<RequestFailed | null>(null);
  const busy = useSignal(false);
  const tie_margin = useSignal(TIE_MARGIN);
  const hasScores = useSignal(false);
  /** One at a time. */
  async function busily(act: () => Promise<void>): Promise<void> {
    if (busy.peek()) return;
    busy.value = true;
    failure.value = null;
    try {
      await act();
    } catch (error) {
      failure.value = asFailed(error);
    }
    busy.value = false;
  }
  async function compare(file: File, arms: string | null): Promise<void> {
    const { series_id } = await sendResults(file, { arms, tie_margin: tie_margin.value });
    navigate(toSeries(series_id));
  }
  async function take(files: readonly File[]): Promise<void> {
    const file = oneTable(files);
    table.value = file;
    hasScores.value = tellsScores(await headOf(file));
    if (!hasScores.value) await compare(file, null);
  }
  const file = table.value;
  const choices = armsIn(failure.value);
  return (
    <Page title="Results of another harness">
      <p class="lead">
        A table of who passed what, as CSV or JSON lines, becomes a series: win rate, range, evidence, and a claim only
        where the results carry one.
      </p>
      <Drop take={(files) => void busily(() => take(files))} busy={busy.value} />
      {file && choices ? (
        <ChooseArms
          key={file.name}
          names={choices}
          busy={busy.value}
          choose={(arms) => void busily(() => compare(file, arms))}
        />
      ) : file && hasScores.value && !failure.value ? (
        <form
          class="fields"
          onSubmit={(event) => {
            event.preventDefault();
            void busily(() => compare(file, null));
          }}
        >
          <label class="field number-field">
            Two scores are level when they differ by at most
            <input
              type="number"
              required
              min="0"
              max="0.99"
              step="0.01"
              value={tie_margin.value}
              onInput={(event) => (tie_margin.value = event.currentTarget.valueAsNumber)}
            />
          </label>
          <button type="submit" class="primary" disabled={busy.value}>
            Compare
          </button>
        </form>
      ) : (
        failure.value && <Refused error={failure.value} />
      )}
      <PagePart title="What the table holds">
        <p>
          It needs the columns <code>scenario</code>, <code>trial</code>, <code>arm</code>, and <code>passed</code> or{" "}
          <code>score</code>. Others can group the scenarios.
        </p>
        <pre class="sample">{EXAMPLE}</pre>
        <p>
          abeval runs nothing and asks no judge: it saw none of these runs, and counts what the table says. The file
          goes to this server and nowhere else, which keeps the results with its series.
        </p>
      </PagePart>
    </Page>
  );
}

/** @throws RequestFailed when it is not one, or larger than what the server reads */
function oneTable(files: readonly File[]): File {
  const [file] = files;
  if (file === undefined || files.length > 1)
    throw new RequestFailed(
      "unreadable",
      `${countOf(files.length, "file")} were dropped, and one is read: drop one table.`,
    );
  if (file.size <= RESULTS_BODY_BYTES) return file;
  const size = `${file.name} has ${mebibytes(file.size)}, and ${mebibytes(RESULTS_BODY_BYTES)} are read at most`;
  throw new RequestFailed("unreadable", `${size}: \`abeval results\` reads larger tables.`);
}

const mebibytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;

/** The names of a table's columns stand in its first bytes. */
const HEAD_BYTES = 65_536;

/** A folder can be dropped like a file, and a file may be gone. */
async function headOf(file: File): Promise<string> {
  try {
    return await file.slice(0, HEAD_BYTES).text();
  } catch {
    throw new RequestFailed("unreadable", `${file.name} cannot be read. Choose a file that is there, not a folder.`);
  }
}

/** Whether the first line of a table names scores, and not who passed. */
function tellsScores(text: string): boolean {
  const [head = ""] = text.split("\n", 1);
  return /\bscore\b/.test(head) && !/\bpassed\b/.test(head);
}

/** Where the server names more arms than it can compare. */
function armsIn(failure: RequestFailed | null): readonly string[] | null {
  const arms = failure?.details["arms"];
  return Array.isArray(arms) ? arms.map(String) : null;
}

const WITH_FILES = ["dragover", "drop"] as const;

interface DropProps {
  readonly take: (files: readonly File[]) => void;
  readonly busy: boolean;
}

/** A field for a file, on which one can be dropped as well. */
function Drop({ take, busy }: DropProps) {
  const over = useSignal(false);
  // Whoever misses the field would leave the page for the file.
  useEffect(() => {
    const stay = (event: Event) => event.preventDefault();
    for (const type of WITH_FILES) addEventListener(type, stay);
    return () => {
      for (const type of WITH_FILES) removeEventListener(type, stay);
    };
  }, []);
  return (
    <label
      class={over.value ? "drop drop-over" : "drop"}
      onDragOver={(event) => {
        event.preventDefault();
        over.value = true;
      }}
      onDragLeave={() => (over.value = false)}
      onDrop={(event) => {
        event.preventDefault();
        over.value = false;
        const files = [...(event.dataTransfer?.files ?? [])];
        if (files.length > 0) take(files);
      }}
    >
      <strong>{busy ? "Reading …" : "Drop a table here, or choose one"}</strong>
      <input
        type="file"
        accept=".csv,.jsonl,.ndjson,text/csv"
        disabled={busy}
        onChange={(event) => {
          const files = [...(event.currentTarget.files ?? [])];
          if (files.length > 0) take(files);
          // The same file may be chosen again, when it was mended.
          event.currentTarget.value = "";
        }}
      />
    </label>
  );
}

interface ChooseArmsProps {
  readonly names: readonly string[];
  readonly busy: boolean;
  readonly choose: (arms: string) => void;
}

function ChooseArms({ names, busy, choose }: ChooseArmsProps) {
  const a = useSignal(names[0] ?? "");
  const b = useSignal(names[1] ?? "");
  return (
    <form
      class="fields"
      onSubmit={(event) => {
        event.preventDefault();
        choose(`${a.value},${b.value}`);
      }}
    >
      <p>The table has {names.length} arms. Choose the two to compare.</p>
      {[a, b].map((side, index) => (
        <label key={index}>
          Arm {index === 0 ? "A" : "B"}
          <select value={side.value} onChange={(event) => (side.value = event.currentTarget.value)}>
            {names.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      ))}
      <button type="submit" class="primary" disabled={busy || a.value === b.value}>
        Compare
      </button>
    </form>
  );
}
