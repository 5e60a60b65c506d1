import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { RequestFailed } from "../api.ts";
import { asFailed } from "../loaded.ts";

interface StopButtonProps {
  /** Completes "Stop". */
  readonly what: string;
  readonly question: string;
  readonly stop: () => Promise<unknown>;
}

/** Stops after a question, because what was spent is lost. Escape answers no, and so does an Enter that comes too early. */
export function StopButton({ what, question, stop }: StopButtonProps) {
  const step = useSignal<"idle" | "asking" | "stopping">("idle");
  const failure = useSignal<RequestFailed | null>(null);
  const harmless = useFocusAfter(step.value);
  async function send(): Promise<void> {
    step.value = "stopping";
    try {
      await stop();
    } catch (error) {
      failure.value = asFailed(error);
      step.value = "idle";
    }
  }
  if (step.value === "idle")
    return (
      <>
        <button type="button" class="danger" ref={harmless} onClick={() => (step.value = "asking")}>
          Stop
        </button>
        {failure.value && <p role="alert">{failure.value.message}</p>}
      </>
    );
  const goOn = () => {
    step.value = "idle";
  };
  if (step.value === "stopping") return <p role="status">Stopping …</p>;
  return (
    <fieldset class="confirm" onKeyDown={({ key }) => key === "Escape" && goOn()}>
      <legend>{question}</legend>
      <button type="button" class="danger" onClick={() => void send()}>
        Stop {what}
      </button>
      <button type="button" class="quiet" ref={harmless} onClick={goOn}>
        Let it run
      </button>
    </fieldset>
  );
}

/** The button that takes the focus when the step changes, before the next key is heard. It takes it once: while a clock runs, pages are drawn again and again. */
function useFocusAfter(step: string) {
  const button = useRef<HTMLButtonElement>(null);
  const before = useRef(step);
  useLayoutEffect(() => {
    if (before.current !== step) button.current?.focus();
    before.current = step;
  }, [step]);
  return button;
}
