import type { ComponentChildren } from "preact";
import { cited } from "../evidence/cited.ts";
import { Chunk } from "../part/chunk.tsx";
import { useIdle } from "../part/when-idle.ts";

interface AfterThePageProps {
  /** Pixels that the changes take, more or less, until they are drawn. */
  readonly height: number;
  readonly children: () => ComponentChildren;
}

/**
 * Changes, drawn after the page is shown, and at once where a citation leads to one. They do not wait until they are near: a
 * reader may search the page, print it, or scroll when the server is gone.
 */
export function AfterThePage({ height, children }: AfterThePageProps) {
  const idle = useIdle();
  return (
    <Chunk height={height} eager={idle || cited.value?.kind === "diff"}>
      {children}
    </Chunk>
  );
}
