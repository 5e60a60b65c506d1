import { fstatSync, readSync } from "node:fs";

/** What a command printed, from the file it went to: whole, or head and tail around a line that says what is missing. */
export function printedText(descriptor: number, maxBytes: number): { readonly output: string; readonly bytes: number } {
  const bytes = fstatSync(descriptor).size;
  if (bytes <= maxBytes) return { output: validText(read(descriptor, 0, bytes)), bytes };
  const head = Math.ceil(maxBytes / 2);
  const tail = maxBytes - head;
  const missing = `\n[... ${bytes - maxBytes} bytes left out ...]\n`;
  const output = validText(read(descriptor, 0, head)) + missing + validText(read(descriptor, bytes - tail, tail));
  return { output, bytes };
}

function read(descriptor: number, from: number, length: number): Uint8Array {
  const buffer = new Uint8Array(length);
  const count = length === 0 ? 0 : readSync(descriptor, buffer, 0, length, from);
  return buffer.subarray(0, count);
}

/** NUL and other invisible control characters would not survive in JSON stores and terminals; line ends and tabs stay. */
function validText(bytes: Uint8Array): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
  return new TextDecoder().decode(bytes).replace(/[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f]/g, "\ufffd");
}
