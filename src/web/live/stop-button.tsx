import { useSignal } from "@preact/signals";
import { cancelRun, type RequestFailed } from "../api.ts";
import { asFailed } from "../loaded.ts";

/** Stops the run, after asking: what it has spent is spent. */
export function StopButton({ id }: { id: string }) {
  const step = useSignal<"idle" | "asking" | "stopping">("idle");
  const failure = useSignal<RequestFailed | null>(null);
  async function stop(): Promise<void> {
    step.value = "stopping";
    try {
      await cancelRun(id);
    } catch (error) {
      failure.value = asFailed(error);
      step.value = "idle";
    }
  }
  if (step.value === "idle")
    return (
      <>
        <button type="button" class="danger" onClick={() => (step.value = "asking")}>
          Stop
        </button>
        {failure.value && <p role="alert">{failure.value.message}</p>}
      </>
    );
  if (step.value === "stopping") return <p role="status">Stopping …</p>;
  return (
    <fieldset class="confirm">
      <legend>Stop both arms?</legend>
      <button type="button" class="danger" ref={(button) => button?.focus()} onClick={() => void stop()}>
        Stop the run
      </button>
      <button type="button" class="quiet" onClick={() => (step.value = "idle")}>
        Let it run
      </button>
    </fieldset>
  );
}
