import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { ArmPair } from "../evidence/shown-arm.ts";
import { pointerTo } from "../evidence/shown-arm.ts";
import { lazy } from "../part/lazy.tsx";
import { toCompare } from "../routes.ts";

const Judging = lazy(async () => (await import("../sessions/judging.tsx")).Judging, "the form");

interface JudgeAgainProps {
  readonly pair: ArmPair;
  /** Verdicts on the pair. */
  readonly known: number;
}

/** Asks another judge, or the same again, where the reader is. The new verdict opens in its place. */
export function JudgeAgain({ pair, known }: JudgeAgainProps) {
  const open = useSignal(false);
  return (
    <>
      <button type="button" onClick={() => (open.value = true)}>
        Judge again
      </button>
      {open.value && (
        <JudgeDialog close={() => (open.value = false)} pair={pair}>
          <Judging pair={pair} known={known} />
        </JudgeDialog>
      )}
    </>
  );
}

interface JudgeDialogProps {
  readonly pair: ArmPair;
  readonly close: () => void;
  readonly children: ComponentChildren;
}

function JudgeDialog({ pair: [a, b], close, children }: JudgeDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="help" aria-labelledby="judge-again" onClose={close}>
      <h2 id="judge-again">Judge again</h2>
      {children}
      <p class="aside">
        The <a href={toCompare(pointerTo(a), pointerTo(b))}>comparison of these two</a> shows every verdict on them, and
        one that is being made.
      </p>
      <form method="dialog">
        <button type="submit" class="quiet">
          Close
        </button>
      </form>
    </dialog>
  );
}
