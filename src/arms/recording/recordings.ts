import type { Arm } from "../../domain/arm.ts";
import type { Task } from "../../domain/task.ts";
import type { Entropy } from "../../runtime/clock.ts";
import type { Recording } from "../model/provider-call.ts";

/** The recordings of one session: of each arm, and of its judge. */
export interface Recordings {
  readonly mode: "record" | "replay";
  /** Ids of the arms whose models' replies are recorded ones, and `judge`. */
  readonly replayed: readonly string[];
  /** The same one whenever it is asked for. */
  arm(arm_id: string): Recording;
  judge(): JudgeRecording;
  /** Before anything is asked. @throws Failure when a recording cannot be made */
  begin(): Promise<void>;
  /**
   * After the last question, also of a session that failed. Lines for whoever started it: what was not replayed, what could
   * not be recorded.
   */
  end(): Promise<readonly string[]>;
  /** After the judging. @throws Failure `replay_mismatch` where everything that was recorded must be replayed, and was not */
  demandAllPlayed(): void;
}

export interface JudgeRecording extends Recording {
  /**
   * Chance for what the judge of that name is shown. A replay draws what the recording drew, or no recorded answer would
   * fit its question.
   */
  entropy(judge: string): Entropy;
}

/** Neither records nor replays. */
export const NO_RECORDING: Recording = { replayed: false, fetch: (send) => send };

/** What a session is about to ask. */
export interface RecordedSession {
  readonly scenario: string;
  readonly task: Task;
  readonly arms: readonly Arm[];
  /** Digests of what is installed for them, by their ids. */
  readonly installs: ReadonlyMap<string, string>;
  /** `<provider>/<model>`, or `panel(...)`. */
  readonly judge_model: string;
  /** Patterns whose matches do not count, in RE2 syntax. */
  readonly ignore: readonly string[];
  /** Number of the trial in its series; absent: the session is none. */
  readonly trial?: number | undefined;
}

/** Where recordings are kept. */
export interface RecordingDirectory {
  readonly mode: Recordings["mode"];
  /**
   * Writes nothing. A replay has read its recordings then.
   * @throws Failure `invalid_request` naming the file that is missing, does not fit, or is in the way
   */
  open(session: RecordedSession): Promise<Recordings>;
  /** What could not be recorded so far, a line each. */
  readonly faults: readonly string[];
}
