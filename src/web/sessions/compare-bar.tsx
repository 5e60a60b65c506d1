import { ArmName } from "../part/arm-name.tsx";
import { blind } from "../preferences.ts";
import { toCompare } from "../routes.ts";
import { picked } from "./picked.ts";

/** What has been picked so far, and the way on. */
export function CompareBar() {
  const [a, b] = picked.value;
  return (
    <div class="compare-bar" role="status">
      {a && <ArmName side="a" name={blind.value ? "first pick" : a.pointer.arm_id} />}
      {b ? (
        <ArmName side="b" name={blind.value ? "second pick" : b.pointer.arm_id} />
      ) : (
        <span>Pick one more arm of {a?.scenario}.</span>
      )}
      <span class="compare-bar-end">
        {a && b && (
          <a class="button primary" href={toCompare(a.pointer, b.pointer)}>
            Compare these two
          </a>
        )}
        <button type="button" class="quiet" onClick={() => (picked.value = [])}>
          Clear
        </button>
      </span>
    </div>
  );
}
