import { type Static, Type } from "@sinclair/typebox";
import { canonicalJson } from "./canonical-json.ts";
import { Decision } from "./decision.ts";
import type { MemberKey } from "./member.ts";
import type { StoredRun } from "./ran.ts";
import { InputId, type Scenario } from "./scenario.ts";
import { record, Slug, Timestamp } from "./schema.ts";
import { ArmSummary, type EvidenceDigests, SessionId } from "./session.ts";
import { sha256 } from "./sha256.ts";
import type { Side } from "./verdict.ts";

const BlessedArm = record("BlessedArm", { summary: ArmSummary, decisions: Type.Array(Decision) });

export const BlessedRun = record("BlessedRun", {
  type: Type.Literal("run"),
  scenario: Slug(),
  input: Type.Optional(InputId),
  session_id: SessionId,
  at: Timestamp("When the session was accepted."),
  arms: Type.Array(BlessedArm, { minItems: 2, maxItems: 2 }),
});

/** What an arm left in a stored run. */
type StoredArmEvidence = Readonly<Static<typeof BlessedArm>>;

/** One stored run of both arms. It is read when a trial needs it. */
export interface BaselineRun {
  readonly session_id: string;
  readonly at: string;
  readonly load: () => Promise<readonly [StoredArmEvidence, StoredArmEvidence]>;
}

/** What a series ran on one scenario, or on one row of its inputs. */
export interface BaselineMember {
  readonly evidence_digests: EvidenceDigests;
  readonly definition: Scenario;
  /** In the order of their trials. */
  readonly runs: readonly BaselineRun[];
}

/** The file that a baseline was read from. Whoever can write it can write any result into it. */
export interface BundleFile {
  /** What messages call it. */
  readonly shown: string;
  /** Of its bytes. */
  readonly sha256: string;
  /** Its digest was given by whoever runs the series. */
  readonly pinned: boolean;
  /** A directory that remembers of which runs the hidden checks gave what is stored; absent: nothing does. */
  readonly kept?: string;
}

/** Stored runs whose arms may stand in for arms of a new series. */
export interface Baseline {
  /** As `runsDigests` names the runs: a bundle and the series that it was made of have the same ones. */
  readonly digest: string;
  /** What versions before this one named the runs. A series that was begun with such a name keeps it. */
  readonly earlier_digests: readonly string[];
  readonly series_id: string;
  readonly at: string;
  /** It was stopped by what it showed, or was made longer later. */
  readonly stopped: boolean;
  readonly preferred: Side | null;
  readonly members: ReadonlyMap<MemberKey, BaselineMember>;
  /** The arm that they stand in for. Absent: the one that they are of, which is b where they are of both. */
  readonly side?: Side;
  /** Absent: the runs are those of a store. */
  readonly file?: BundleFile;
}

/** A stored arm that stands in for an arm of a session. */
export interface StandIn {
  readonly side: Side;
  /** The arm that it was in its series. */
  readonly of: Side;
  readonly from: StoredRun;
  readonly load: () => Promise<StoredArmEvidence>;
}

/** Names the runs of a series, wherever they are read. Earlier versions left them in the order in which they were begun. */
export function runsDigests(
  series_id: string,
  session_ids: readonly string[],
): Pick<Baseline, "digest" | "earlier_digests"> {
  const digestOf = (ids: readonly string[]) => sha256(canonicalJson([series_id, ids]));
  return { digest: digestOf(session_ids.toSorted()), earlier_digests: [digestOf(session_ids)] };
}
