import { existsSync, statSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Failure } from "../../domain/failure.ts";
import type { Clock, Entropy } from "../../runtime/clock.ts";
import type { Redact } from "../model/redaction.ts";
import { castOf, fileOf, JUDGE, placeOf, type Role } from "./cast.ts";
import { CASSETTE_VERSION, type Header } from "./lines.ts";
import { normaliser } from "./matching/normalise.ts";
import { cannotRecord, Recorder } from "./recorder.ts";
import { seededEntropy } from "./seeded-entropy.ts";
import { NO_TAPE, type TapeDirectory, type Taped, type Tapes } from "./tapes.ts";

export interface RecordingServices {
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** Takes provider keys out of a text. */
  readonly redact: Redact;
  readonly version: string;
}

/** Sessions are recorded into `directory`. No recording is ever overwritten. */
export function recordInto(directory: string, services: RecordingServices): TapeDirectory {
  const faults: string[] = [];
  return {
    mode: "record",
    faults,
    open: async (taped) => {
      const cast = castOf(taped);
      const place = placeOf(taped.scenario, taped.trial);
      demandFree(
        directory,
        cast.map(({ of }) => fileOf(place, of)),
      );
      return recording(
        cast.map((role) => recorderOf(role, { directory, place, taped }, services)),
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
    `--record ${directory}: ${taken} is there already; record into another directory, or remove it`,
  );
}

interface Place {
  readonly directory: string;
  readonly place: string;
  readonly taped: Taped;
}

interface Recorded {
  readonly of: string;
  readonly file: string;
  readonly recorder: Recorder;
  readonly seed: string;
}

function recorderOf(
  { of, model, bound }: Role,
  { directory, place, taped }: Place,
  { clock, entropy, redact, version }: RecordingServices,
): Recorded {
  const seed = entropy(16);
  const header: Header = {
    cassette: CASSETTE_VERSION,
    ...{ abeval: version, at: clock.now().toISOString() },
    ...{ scenario: taped.scenario, of, model, bound },
    ...(of === JUDGE && { seed }),
  };
  const file = fileOf(place, of);
  const normalise = normaliser(redact, taped.ignore);
  return { of, file, seed, recorder: new Recorder({ path: join(directory, file), header, clock, redact, normalise }) };
}

function recording(cast: readonly Recorded[], { entropy }: RecordingServices, faults: string[]): Tapes {
  const tapeOf = (name: string) => cast.find(({ of }) => of === name);
  const end = async () => {
    for (const { recorder } of cast) await recorder.end();
    const told = cast.flatMap(({ file, recorder: { fault } }) =>
      fault === undefined ? [] : [`recording ${file} broke off: ${fault}; it replays as far as it goes`],
    );
    faults.push(...told);
    return told;
  };
  return {
    mode: "record",
    replayed: [],
    arm: (id) => tapeOf(id)?.recorder ?? NO_TAPE,
    judge: () => {
      const judge = tapeOf(JUDGE);
      if (judge === undefined) return { ...NO_TAPE, entropy: () => entropy };
      const { recorder, seed } = judge;
      return {
        replayed: false,
        fetch: (send) => recorder.fetch(send),
        entropy: (name) => seededEntropy(`${seed} ${name}`),
      };
    },
    begin: async () => {
      try {
        for (const { recorder } of cast) {
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
