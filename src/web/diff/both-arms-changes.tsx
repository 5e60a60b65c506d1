import { cited } from "../evidence/cited.ts";
import type { ShownArm } from "../evidence/shown-arm.ts";
import { Chunk } from "../part/chunk.tsx";
import { lazy } from "../part/lazy.tsx";
import { useIdle } from "../part/when-idle.ts";

interface BothArmsChangesProps {
  readonly arms: readonly [ShownArm, ShownArm];
  /** Lines above which a file stays closed. */
  readonly open_lines?: number;
}

const ArmChanges = lazy(async () => (await import("./arm-changes.tsx")).ArmChanges, "the changes");

/** Pixels of two arms with a few files each. */
const HEIGHT = 400;

/**
 * What each arm changed of the fixture. The code that shows it is read after the page is shown: a reader may search the page,
 * print it, or scroll when the server is gone.
 */
export function BothArmsChanges({ arms, ...limit }: BothArmsChangesProps) {
  const idle = useIdle();
  return (
    <Chunk height={HEIGHT} eager={idle || cited.value?.kind === "diff"}>
      {() => arms.map((shown) => <ArmChanges key={shown.side} shown={shown} {...limit} />)}
    </Chunk>
  );
}
