interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LABEL = String.raw`[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*"`;
const SAMPLE = new RegExp(String.raw`^([a-zA-Z_:][\w:]*)(?:\{(${LABEL}(?:,${LABEL})*)\})? (\S+)$`);

/**
 * The samples of a text in Prometheus' format 0.0.4, read by its grammar. @throws Error for a line that breaks it, for a
 * sample without HELP and TYPE before it, and for two of one name and labels
 */
export function samplesIn(text: string): readonly Sample[] {
  if (!text.endsWith("\n")) throw new Error("the last line has no end");
  const told = { HELP: new Set<string>(), TYPE: new Set<string>() };
  const samples = text.split("\n").flatMap((line): Sample[] => {
    const [, kind, about = ""] = /^# (HELP|TYPE) (\S+) ./.exec(line) ?? [];
    if (kind !== undefined) told[kind as "HELP" | "TYPE"].add(about);
    if (kind !== undefined || line === "") return [];
    const [, name = "", list = "", value = ""] = SAMPLE.exec(line) ?? [];
    if (!told.HELP.has(name) || !told.TYPE.has(name)) throw new Error(`not a sample that was announced: ${line}`);
    const labels = [...list.matchAll(new RegExp(LABEL, "g"))].map(([pair]) => pair.split(/="(.*)"$/s));
    return [{ name, labels: Object.fromEntries(labels), value: Number(value) }];
  });
  const places = samples.map(({ name, labels }) => `${name} ${JSON.stringify(labels)}`);
  if (new Set(places).size < places.length) throw new Error("two samples have one name and the same labels");
  return samples;
}

/** The value of one sample; undefined where there is none. */
export const sampleOf = (
  samples: readonly Sample[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined => samples.find((one) => one.name === name && Bun.deepEquals(one.labels, labels))?.value;
