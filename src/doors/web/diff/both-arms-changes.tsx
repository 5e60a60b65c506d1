import type { ShownArm } from "../evidence/shown-arm.ts";
import { lazy } from "../part/lazy.tsx";
import { AfterThePage } from "./after-the-page.tsx";

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
