import type { ComponentChildren } from "preact";
import { cited } from "../evidence/cited.ts";
import type { ShownArm } from "../evidence/shown-arm.ts";
import { Chunk, useIdle } from "../part/chunk.tsx";
import { lazy } from "../part/lazy.tsx";

interface BothArmsChangesProps {
  readonly arms: readonly [ShownArm, ShownArm];
  /** Lines above which a file stays closed. */
  readonly open_lines?: number;
}

const ArmChanges = lazy(async () => (await import("./arm-changes.tsx")).ArmChanges, "the changes");

/** Pixels of two arms with a few files each. */
const HEIGHT = 400;

/** What each arm changed of the fixture. */
export function BothArmsChanges({ arms, ...limit }: BothArmsChangesProps) {
  return (
    <AfterThePage height={HEIGHT}>
      {() => arms.map((shown) => <ArmChanges key={shown.side} shown={shown} {...limit} />)}
    </AfterThePage>
  );
}

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
