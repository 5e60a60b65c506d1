import { existsSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "../../domain/failure.ts";
import type { Entropy } from "../../runtime/clock.ts";
import type { Redact } from "../model/redaction.ts";
import type { Tape } from "../model/tape.ts";
import { type Bound, differing } from "./bound.ts";
import { castOf, fileOf, JUDGE, nameOf, placeOf, type Role } from "./cast.ts";
import { normaliser } from "./matching/normalise.ts";
import { renewed } from "./matching/renew.ts";
import { Player } from "./player.ts";
import { type Recording, readTape } from "./read-tape.ts";
import { seededEntropy } from "./seeded-entropy.ts";
import { NO_TAPE, type TapeDirectory, type Taped, type Tapes } from "./tapes.ts";

export interface ReplayServices {
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
export function replayFrom(directory: string, services: ReplayServices, options: ReplayOptions): TapeDirectory {
  return {
    mode: "replay",
    faults: [],
    open: async (taped) => {
      const cast = castOf(taped).filter(({ of }) => !(options.live_judge && of === JUDGE));
      const place = recordedPlace(directory, taped);
      const normalise = normaliser(services.redact, taped.ignore);
      const played: Played[] = [];
      for (const role of cast) {
        const recording = await renewed(await recordingOf(role, directory, place), normalise);
        const player = new Player(recording, { normalise, version: services.version });
        const tape = fits(recording, role.bound) ? player : { ...asTape(player), side_model: "keep" as const };
        played.push({ ...role, recording, player, tape });
      }
      return replay(played, services.entropy, options.strict);
    },
  };
}

interface Played extends Role {
  readonly recording: Recording;
  readonly player: Player;
  readonly tape: Tape;
}

const fits = ({ header }: Recording, bound: Bound | undefined) =>
  bound !== undefined && differing(header.bound, bound).length === 0;

const asTape = (player: Player): Tape => ({ replayed: true, fetch: () => player.fetch() });

/** Every trial of a series replays a single run where no series was recorded: copies, which prove nothing more. */
function recordedPlace(directory: string, { scenario, trial }: Taped): string {
  const isSeries = existsSync(join(directory, placeOf(scenario, 1)));
  return placeOf(scenario, isSeries ? trial : undefined);
}

/** @throws Failure `invalid_request` */
async function recordingOf(role: Role, directory: string, place: string): Promise<Recording> {
  const file = fileOf(place, role.of);
  if (!existsSync(join(directory, file)))
    throw new Failure(
      "invalid_request",
      `there is no recording of ${nameOf(role.of)}: ${file} is missing below ${directory}; record it: abeval run <scenario_file> --record ${directory}`,
    );
  const recording = await readTape(join(directory, file), file);
  const { header } = recording;
  if (header.of !== role.of)
    throw new Failure("invalid_request", `${file} is the recording of ${nameOf(header.of)}, not of ${nameOf(role.of)}`);
  if (fits(recording, role.bound) || fits(recording, role.formerly)) return recording;
  const changed = differing(header.bound, role.bound);
  const models = changed.includes("model") ? ` (recorded with ${header.model}, now ${role.model})` : "";
  throw new Failure(
    "invalid_request",
    `${file} no longer fits ${nameOf(role.of)}: changed since it was recorded: ${changed.join(", ")}${models}; record it again, or undo the change`,
    { details: { recording: file, changed } },
  );
}

function replay(cast: readonly Played[], entropy: Entropy, strict: boolean): Tapes {
  const playerOf = (name: string) => cast.find(({ of }) => of === name);
  // A request that was not recorded ends the session, so of course the rest was not asked.
  const rest = () =>
    cast.some(({ player }) => player.missed)
      ? []
      : cast.flatMap(({ recording: { name, exchanges }, player }) =>
          player.rest === 0 ? [] : [`${name}: ${player.rest} of ${exchanges.length} recorded requests were not asked`],
        );
  return {
    mode: "replay",
    replayed: cast.map(({ of }) => of),
    arm: (id) => playerOf(id)?.tape ?? NO_TAPE,
    judge: () => {
      const judge = playerOf(JUDGE);
      if (judge === undefined) return { ...NO_TAPE, entropy: () => entropy };
      const { seed = "" } = judge.recording.header;
      return { replayed: true, fetch: () => judge.player.fetch(), entropy: (name) => seededEntropy(`${seed} ${name}`) };
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
