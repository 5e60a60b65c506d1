import { existsSync, statSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Failure } from "../../domain/failure.ts";
import type { Clock, Entropy } from "../../runtime/clock.ts";
import type { Redact } from "../model/redaction.ts";
import { type Header, RECORDING_VERSION } from "./lines.ts";
import { normaliser } from "./matching/normalise.ts";
import { cannotRecord, Recorder } from "./recorder.ts";
import { NO_RECORDING, type RecordedSession, type RecordingDirectory, type Recordings } from "./recordings.ts";
import { fileOf, JUDGE, placeOf, type Role, rolesOf } from "./roles.ts";
import { seededEntropy } from "./seeded-entropy.ts";

export interface RecordingServices {
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** Takes provider keys out of a text. */
  readonly redact: Redact;
  readonly version: string;
}

/** Sessions are recorded into `directory`. No recording is ever overwritten. */
export function recordInto(directory: string, services: RecordingServices): RecordingDirectory {
  const faults: string[] = [];
  return {
    mode: "record",
    faults,
    open: async (session) => {
      const roles = rolesOf(session);
      const place = placeOf(session.scenario, session.trial);
      demandFree(
        directory,
        roles.map(({ of }) => fileOf(place, of)),
      );
      return recording(
        roles.map((role) => recorderOf(role, { directory, place, session }, services)),
        services,
        faults,
      );
    },
  };
}

/** @throws Failure `invalid_request` */
function demandFree(directory: string, files: readonly string[]): void {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new Failure("invalid_request", `--record ${directory}: is not a directory`);
  const taken = files.find((file) => existsSync(join(directory, file)));
  if (taken === undefined) return;
  throw new Failure(
    "invalid_request",
    `--record ${directory}: ${taken} exists already; record into another directory, or remove it`,
  );
}

interface Place {
  readonly directory: string;
  readonly place: string;
  readonly session: RecordedSession;
}

interface Recorded {
  readonly of: string;
  readonly file: string;
  readonly recorder: Recorder;
  readonly seed: string;
}

function recorderOf(
  { of, model, bound }: Role,
  { directory, place, session }: Place,
  { clock, entropy, redact, version }: RecordingServices,
): Recorded {
  const seed = entropy(16);
  const header: Header = {
    cassette: RECORDING_VERSION,
    ...{ abeval: version, at: clock.now().toISOString() },
    ...{ scenario: session.scenario, of, model, bound },
    ...(of === JUDGE && { seed }),
  };
  const file = fileOf(place, of);
  const normalise = normaliser(redact, session.ignore);
  return { of, file, seed, recorder: new Recorder({ path: join(directory, file), header, clock, redact, normalise }) };
}

function recording(roles: readonly Recorded[], { entropy }: RecordingServices, faults: string[]): Recordings {
  const recordingOf = (name: string) => roles.find(({ of }) => of === name);
  const end = async () => {
    for (const { recorder } of roles) await recorder.end();
    const told = roles.flatMap(({ file, recorder: { fault } }) =>
      fault === undefined ? [] : [`recording ${file} broke off: ${fault}; it replays as far as it goes`],
    );
    faults.push(...told);
    return told;
  };
  return {
    mode: "record",
    replayed: [],
    arm: (id) => recordingOf(id)?.recorder ?? NO_RECORDING,
    judge: () => {
      const judge = recordingOf(JUDGE);
      if (judge === undefined) return { ...NO_RECORDING, entropy: () => entropy };
      const { recorder, seed } = judge;
      return {
        replayed: false,
        fetch: (send) => recorder.fetch(send),
        entropy: (name) => seededEntropy(`${seed} ${name}`),
      };
    },
    begin: async () => {
      try {
        for (const { recorder } of roles) {
          await makePlace(recorder.path);
          await recorder.begin();
        }
      } catch (error) {
        await end();
        throw error;
      }
    },
    end,
    demandAllPlayed: () => undefined,
  };
}

async function makePlace(path: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw cannotRecord(path, error);
  }
}
