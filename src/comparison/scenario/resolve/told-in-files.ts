import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { Scenario } from "../../../domain/scenario.ts";
import { Pace } from "../../../runtime/pace.ts";

/** A file that an arm finds. */
interface GivenFile {
  readonly path: string;
  readonly bytes: number;
}

/** A shorter answer may stand in a document by chance, or because it is a quotation; a patch has a form of its own. */
const ANSWER_CHARS_TOLD = 200;
const PATCH_CHARS = 40;

/** Bytes of one file, of an archive packed or not, and of all that are searched. */
const FILE_BYTES = 4_000_000;
const ARCHIVE_BYTES = 64_000_000;
const ALL_BYTES = 128_000_000;

const ARCHIVE = /\.(?:tar|tgz|tar\.gz)$/i;
const TEXT = /\.(?:jsonl?|ndjson|[ct]sv|ya?ml|md|mdx|txt|log|patch|diff|html?|xml|gz)$|(?:^|\/)[^./]+$/i;

/** The files whose bytes are looked at, as many as there is room for. What a package manager installed is not. */
export function searched<F extends GivenFile>(files: readonly F[]): readonly F[] {
  let left = ALL_BYTES;
  return files.filter(({ path, bytes }) => {
    const most = ARCHIVE.test(path) ? ARCHIVE_BYTES : TEXT.test(path) ? FILE_BYTES : -1;
    if (bytes > most || bytes > left || /(?:^|\/)(?:node_modules|site-packages|\.git)\//.test(path)) return false;
    left -= bytes;
    return true;
  });
}

/** Says what the bytes of a file hold of what arms of a scenario are tested with; undefined: nothing that has a form or is whole. */
export function teller({ name, task }: Scenario): (path: string, bytes: Uint8Array) => Promise<string | undefined> {
  const whole = [
    ...needles("the reference fix", task.reference_fix?.patch, PATCH_CHARS),
    ...needles("the reference answer", task.reference_answer?.text, ANSWER_CHARS_TOLD),
  ];
  const own = `"scenario":${JSON.stringify(name)}`;
  const forms = [
    { what: "a saved series of this scenario", parts: ['"type":"abeval-baseline"', own] },
    { what: "a recording of this scenario", parts: ['"cassette":', '"abeval":', own] },
  ];
  const pace = new Pace();
  return async (path, packed) => {
    const bytes = await unpacked(path, packed);
    await pace.bytes(bytes.length * (whole.length + forms.length));
    const told =
      whole.find(({ text }) => bytes.includes(text)) ??
      forms.find(({ parts }) => parts.every((part) => bytes.includes(part)));
    return told?.what;
  };
}

/** A text as it stands in prose, in JSON and in a table. */
function needles(what: string, text: string | undefined, least: number) {
  const whole = text?.trim() ?? "";
  if (whole.length < least) return [];
  const forms = [
    whole,
    JSON.stringify(whole).slice(1, -1),
    whole.replaceAll('"', '""'),
    whole.replaceAll("\n", "\r\n"),
  ];
  return [...new Set(forms)].map((form) => ({ what, text: form }));
}

const gunzipped = promisify(gunzip);

/** An archive is searched as its bytes: tar keeps each file in one piece. What is no gzip, or too large, stays as it is. */
async function unpacked(path: string, bytes: Uint8Array): Promise<Buffer> {
  const packed = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (!/\.t?gz$/i.test(path)) return packed;
  return await gunzipped(packed, { maxOutputLength: ARCHIVE_BYTES }).catch(() => packed);
}
