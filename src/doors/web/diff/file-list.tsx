import type { ComponentChildren } from "preact";
import type { Changes } from "../../../domain/evidence.ts";
import { Chunk } from "../part/chunk.tsx";
import type { FileChange } from "./file-change.ts";

interface FileListProps<File> {
  readonly changes: readonly File[];
  /** Whether a file must be on the page, as it is cited or looked for. */
  readonly isWanted: (change: File, index: number) => boolean;
  readonly children: (change: File, index: number) => ComponentChildren;
}

/** Files drawn at once. */
const CHUNK = 15;

/** Pixels of a closed file with the space below it. */
const FILE_HEIGHT = 48;

/** Changed files one below the other. There may be thousands. */
export function FileList<File extends FileChange>({ changes, isWanted, children }: FileListProps<File>) {
  const starts = Array.from({ length: Math.ceil(changes.length / CHUNK) }, (_, index) => index * CHUNK);
  return (
    <div class="file-list">
      {starts.map((start) => {
        const files = changes.slice(start, start + CHUNK);
        const eager = start === 0 || files.some((file, index) => isWanted(file, start + index));
        return (
          <Chunk key={start} height={files.length * FILE_HEIGHT} eager={eager}>
            {() => files.map((file, index) => children(file, start + index))}
          </Chunk>
        );
      })}
    </div>
  );
}

/** Characters of the names that are shown, and of the end, which says how many more there are. */
const CHARS = 600;
const END = 40;

/** What the server says of files that it kept no diff of; nothing when it kept all. */
export function LeftOut({ changes: { patch } }: { changes: Pick<Changes, "patch"> }) {
  const said = patch.slice(patch.lastIndexOf("\nNot shown, too large: ") + 1);
  if (!said.startsWith("Not shown, too large: ")) return null;
  return (
    <p class="small-print left-out">
      {said.length > CHARS + END ? `${said.slice(0, CHARS)} … ${said.slice(-END)}` : said}
    </p>
  );
}
