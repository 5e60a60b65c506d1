import { readBoundedJson } from "../../../domain/bounded-json.ts";
import { Pace } from "../../../runtime/pace.ts";
import { type Exchange, LINE_LIMITS } from "../lines.ts";
import type { RecordedFile } from "../read-recording.ts";
import { askedIn, type Spoken, spokenOf } from "./asked.ts";
import type { Normalise } from "./normalise.ts";

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
