import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { timeAxis } from "../../../domain/timeline.ts";
import { cited } from "../evidence/cited.ts";
import type { ShownArm } from "../evidence/shown-arm.ts";
import { countOf } from "../format.ts";
import { stepFilter } from "../live/step-filter.ts";
import { TimeStrip } from "../live/strip.tsx";
import { Timeline } from "../live/timeline.tsx";

/** What both arms did on one scale of time; arms of two sessions each from their own start. */
export function BothTimelines({ a, b }: { a: ShownArm; b: ShownArm }) {
  const together = a.session.session_id === b.session.session_id;
  const logs = useMemo(() => ({ a: a.decisions, b: b.decisions }), [a.decisions, b.decisions]);
  const axis = useMemo(() => timeAxis(logs, together), [logs, together]);
  const filter = useMemo(stepFilter, [logs]);
  const opened = useSignal(false);
  const open = opened.value || cited.value?.kind === "decision";
  if (axis.steps.length === 0) return <p class="empty">Neither has a decision.</p>;
  return (
    <>
      {!together && <p class="small-print">They ran at different times; each begins at its own start.</p>}
      <TimeStrip axis={axis} whole_ms={axis.span_ms} filter={filter} />
      <details class="fold" open={open} onToggle={({ currentTarget }) => (opened.value = currentTarget.open)}>
        <summary>{countOf(axis.steps.length, "decision")} in all</summary>
        {open && (
          <Timeline steps={axis.steps} names={{ a: a.name, b: b.name }} running={false} folded {...{ logs, filter }} />
        )}
      </details>
    </>
  );
}
