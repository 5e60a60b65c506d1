import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "../../domain/failure.ts";
import { refuseShortage } from "../../domain/shortage.ts";
import { readBoundedJson } from "../../runtime/bounded-json.ts";
import type { Entropy } from "../../runtime/clock.ts";
import { Pace } from "../../runtime/pace.ts";
import type { Recording } from "../model/provider-call.ts";
import type { Redact } from "../model/redaction.ts";
import { type Exchange, LINE_LIMITS } from "./lines.ts";
import { askedIn, type Spoken, spokenOf } from "./matching/asked.ts";
import { type Normalise, normaliser } from "./matching/normalise.ts";
import { type RecordedFile, readHeader, readRecording } from "./read-recording.ts";
import { NO_RECORDING, type RecordedSession, type RecordingDirectory, type Recordings } from "./recordings.ts";
import { Replayer } from "./replayer.ts";
import { type Bound, differing, fileOf, JUDGE, nameOf, placeOf, type Role, rolesOf } from "./roles.ts";
import { seededEntropy } from "./seeded-entropy.ts";

interface ReplayServices {
  readonly entropy: Entropy;
  readonly redact: Redact;
  readonly version: string;
}

export interface ReplayOptions {
  /** A run that did not ask everything that was recorded fails. */
  readonly strict: boolean;
  /** The judge is asked for real; only arms are replayed. */
  readonly live_judge: boolean;
}

/** Sessions are replayed from `directory`. A session whose recordings are not there, or do not fit, is refused. */
export function replayFrom(directory: string, services: ReplayServices, options: ReplayOptions): RecordingDirectory {
  return {
    mode: "replay",
    faults: [],
    open: async (session) => {
      const roles = rolesOf(session).filter(({ of }) => !(options.live_judge && of === JUDGE));
      const place = await recordedPlace(directory, session, roles);
      const normalise = normaliser(services.redact, session.ignore);
      const played: Played[] = [];
      for (const role of roles) {
        const recorded = await renewed(await readRecordingOf(role, directory, place), normalise);
        const replayer = new Replayer(recorded, { normalise, version: services.version });
        const recording = fits(recorded, role.bound)
          ? replayer
          : { ...asRecording(replayer), side_model: "keep" as const };
        played.push({ ...role, recorded, replayer, recording });
      }
      return replay(played, services.entropy, options.strict);
    },
  };
}

interface Played extends Role {
  readonly recorded: RecordedFile;
  readonly replayer: Replayer;
  readonly recording: Recording;
}

const fits = ({ header }: Pick<RecordedFile, "header">, bound: Bound | undefined) =>
  bound !== undefined && differing(header.bound, bound).length === 0;

const asRecording = (replayer: Replayer): Recording => ({ replayed: true, fetch: () => replayer.fetch() });

/**
 * A trial replays the recording of its number, or a single run where no series was recorded: copies, which prove nothing more. What is
 * no trial replays the first that fits of a single run and the trials in their order: rows of a table have trials of their own, and a
 * suite numbers its trials across its scenarios. Where none fits it is the first of them, which is then refused.
 */
async function recordedPlace(
  directory: string,
  { scenario, trial }: RecordedSession,
  roles: readonly Role[],
): Promise<string> {
  const single = placeOf(scenario, undefined);
  const ofTrial = placeOf(scenario, trial);
  // A long series has so many directories that no trial may list them all.
  if (trial !== undefined && existsSync(join(directory, ofTrial))) return ofTrial;
  const names = existsSync(join(directory, single)) ? await readdir(join(directory, single)) : [];
  const trials = names.flatMap((name) => /^trial-(\d{1,9})$/.exec(name)?.[1] ?? []).map(Number);
  if (trials.length === 0) return single;
  if (trial !== undefined) return ofTrial;
  const hasSingle = names.some((name) => name.endsWith(".jsonl"));
  const places = trials.toSorted((a, b) => a - b).map((number) => placeOf(scenario, number));
  if (hasSingle) places.unshift(single);
  for (const place of places) if (await areAllFor(roles, directory, place)) return place;
  return places[0] ?? single;
}

async function areAllFor(roles: readonly Role[], directory: string, place: string): Promise<boolean> {
  for (const role of roles) {
    const file = fileOf(place, role.of);
    const header = await readHeader(join(directory, file), file).catch(refuseShortage);
    if (header?.of !== role.of || !(fits({ header }, role.bound) || fits({ header }, role.formerly))) return false;
  }
  return true;
}

/** @throws Failure `invalid_request` */
async function readRecordingOf(role: Role, directory: string, place: string): Promise<RecordedFile> {
  const file = fileOf(place, role.of);
  if (!existsSync(join(directory, file)))
    throw new Failure(
      "invalid_request",
      `there is no recording of ${nameOf(role.of)}: ${file} is missing below ${directory}; record it: abeval run <scenario_file> --record ${directory}`,
    );
  const recorded = await readRecording(join(directory, file), file);
  const { header } = recorded;
  if (header.of !== role.of)
    throw new Failure("invalid_request", `${file} is the recording of ${nameOf(header.of)}, not of ${nameOf(role.of)}`);
  if (fits(recorded, role.bound) || fits(recorded, role.formerly)) return recorded;
  const changed = differing(header.bound, role.bound);
  const models = changed.includes("model") ? ` (recorded with ${header.model}, now ${role.model})` : "";
  throw new Failure(
    "invalid_request",
    `${file} no longer fits ${nameOf(role.of)}: changed since it was recorded: ${changed.join(", ")}${models}; record it again, or undo the change`,
    { details: { recording: file, changed } },
  );
}

function replay(roles: readonly Played[], entropy: Entropy, strict: boolean): Recordings {
  const replayerOf = (name: string) => roles.find(({ of }) => of === name);
  // A request that was not recorded ends the session, so of course the rest was not asked.
  const rest = () =>
    roles.some(({ replayer }) => replayer.missed)
      ? []
      : roles.flatMap(({ recorded: { name, exchanges }, replayer }) =>
          replayer.rest === 0
            ? []
            : [`${name}: ${replayer.rest} of ${exchanges.length} recorded requests were not asked`],
        );
  return {
    mode: "replay",
    replayed: roles.map(({ of }) => of),
    arm: (id) => replayerOf(id)?.recording ?? NO_RECORDING,
    judge: () => {
      const judge = replayerOf(JUDGE);
      if (judge === undefined) return { ...NO_RECORDING, entropy: () => entropy };
      const { seed = "" } = judge.recorded.header;
      return {
        replayed: true,
        fetch: () => judge.replayer.fetch(),
        entropy: (name) => seededEntropy(`${seed} ${name}`),
      };
    },
    begin: async () => undefined,
    end: async () => rest(),
    demandAllPlayed: () => {
      const left = rest();
      if (strict && left.length > 0)
        throw new Failure("replay_mismatch", `not everything was replayed (--replay-strict): ${left.join("; ")}`);
    },
  };
}

/**
 * The recording as if it were made now: what is normalised today, and what the scenario says to ignore, is left out of what was recorded
 * as it is of what is asked.
 */
export async function renewed(recording: RecordedFile, normalise: Normalise): Promise<RecordedFile> {
  const pace = new Pace();
  const renewedParts = new Map<string, Omit<Spoken, "place">>();
  for (const [hash, text] of recording.texts) {
    await pace.bytes(2 * text.length);
    const read = readBoundedJson(Buffer.from(text), LINE_LIMITS);
    renewedParts.set(
      hash,
      "value" in read ? await spokenOf("", read.value, normalise) : { text, hash, result_of: undefined },
    );
  }
  const exchanges: Exchange[] = [];
  for (const exchange of recording.exchanges) {
    await pace.units(exchange.parts.length / 100);
    const spoken = exchange.parts.flatMap(([place, hash]) => {
      const part = renewedParts.get(hash);
      return part === undefined ? [] : [{ ...part, place }];
    });
    const { key, parts } = askedIn(exchange, spoken);
    exchanges.push({ ...exchange, key, parts: parts.map(([place, hash]) => [place, hash]) });
  }
  const texts = new Map(renewedParts.values().map(({ hash, text }) => [hash, text]));
  return { ...recording, exchanges, texts };
}
