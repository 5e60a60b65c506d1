import type { ArmSummary } from "../../domain/session.ts";
import { isUnknown } from "../../domain/size-of.ts";
import type { SessionStore } from "../../store/store.ts";
import { comparabilityDigest } from "../scenario/digest.ts";
import type { LoadedScenario } from "../scenario/loaded-scenario.ts";
import { readableSession } from "./readable-session.ts";

/** Sessions that are looked at, newest first. */
const LOOKED_AT = 20;

/**
 * A patch that does the task: the known fix, else what a stored arm left that passed every hidden check. Undefined when
 * neither is there.
 */
export async function knownWork(
  store: Pick<SessionStore, "list" | "read">,
  { definition }: LoadedScenario,
): Promise<string | undefined> {
  const { name, task } = definition;
  if (task.reference_fix) return task.reference_fix.patch;
  if (task.probe === null) return undefined;
  const digest = comparabilityDigest(definition);
  for (const { session_id } of await store.list({ scenario: name, state: "completed", limit: LOOKED_AT })) {
    const session = await readableSession(store, session_id);
    if (!session || comparabilityDigest(session.definition) !== digest) continue;
    const arm = session.arms.find(solved);
    if (arm?.changes) return arm.changes.patch;
  }
  return undefined;
}

const solved = ({ status, changes, probe }: ArmSummary) =>
  status === "finished" &&
  probe !== null &&
  probe.passed === probe.total &&
  changes !== null &&
  !(isUnknown(changes) || changes.truncated || changes.files.length === 0);
