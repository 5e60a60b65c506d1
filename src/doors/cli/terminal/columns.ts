import stringWidth from "string-width";
import { wrap } from "./wrap.ts";

/** Cells between two columns. */
const GAP = "  ";

/** The comma that ends a line takes one more cell. */
const SEPARATOR = ", ";

interface Table {
  /** Of the columns behind the first, which holds names. */
  readonly head: readonly string[];
  /** A name, then a cell for each head. */
  readonly rows: readonly (readonly [name: string, ...cells: string[]])[];
}

/** Aligned columns where they fit into `width` cells; else the name of each row, and below it every cell with its head. */
export function columns({ head, rows }: Table, width: number): string[] {
  const lines = [["", ...head], ...rows];
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => stringWidth(line[column] ?? "")))) ?? [];
  const aligned = lines.map((line) =>
    line
      .map((cell, column) => pad(cell, widths[column] ?? 0))
      .join(GAP)
      .trimEnd(),
  );
  if (aligned.every((line) => stringWidth(line) <= width)) return aligned;
  return rows.flatMap(([name, ...cells]) => {
    const parts = cells.map((cell, column) => `${head[column]} ${cell}`);
    return [name, ...wrap(parts, SEPARATOR, width - GAP.length - 1).map((line) => GAP + line)];
  });
}

const pad = (cell: string, width: number) => cell + " ".repeat(width - stringWidth(cell));
