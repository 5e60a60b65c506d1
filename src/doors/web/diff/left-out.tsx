import type { Changes } from "../../../domain/evidence.ts";

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
