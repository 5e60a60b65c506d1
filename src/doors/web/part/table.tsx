import type { ComponentChildren } from "preact";
import { Scroller } from "./page.tsx";

interface TableProps {
  /** Read out where the table stands. */
  readonly label: string;
  readonly kind: string;
  readonly heads: readonly ComponentChildren[];
  /** Rows. */
  readonly children: ComponentChildren;
}

/** A table that scrolls sideways where it is too wide. */
export function DataTable({ label, kind, heads, children }: TableProps) {
  return (
    <Scroller kind="scroller" label={label}>
      <table class={kind}>
        <thead>
          <tr>
            {heads.map((head, index) => (
              <th key={index} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </Scroller>
  );
}
