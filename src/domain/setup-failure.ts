/** Why a setup failed, and what its command printed. */
interface SetupFailure {
  readonly why: string;
  /** Line by line; empty where nothing was printed, and for every other failure. */
  readonly printed: readonly string[];
}

const FAILED = "` failed (";
const PRINTED = "): ";

/** Takes a failure's message apart, so that a page can show the end of a long output alone. */
export function setupFailureOf(message: string): SetupFailure {
  const failed = message.indexOf(FAILED);
  const end = failed === -1 ? -1 : message.indexOf(PRINTED, failed);
  if (end === -1) return { why: message, printed: [] };
  return { why: oneLine(message.slice(0, end + 1)), printed: message.slice(end + PRINTED.length).split("\n") };
}

/** A command of many lines is known by its first. */
function oneLine(text: string): string {
  const [first = "", ...others] = text.split("\n");
  return others.length === 0 ? first : `${first} …${text.slice(text.lastIndexOf(FAILED))}`;
}
