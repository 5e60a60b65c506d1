/** A regular file of an archive. */
export interface TarEntry {
  /** Relative, with `/`; at most 100 bytes, or 255 with a `/` where it can be split. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly executable?: boolean;
}

const BLOCK = 512;
const NAME_BYTES = 100;
const PREFIX_BYTES = 155;

/**
 * A POSIX ustar archive, the same bytes for the same files: sorted by path, owned by 0, all of one time.
 * @param mtime_s seconds since 1970, for every entry
 * @throws Error when a path is too long for the format
 */
export function tar(entries: readonly TarEntry[], mtime_s: number): Uint8Array<ArrayBuffer> {
  const sorted = entries.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const size = sorted.reduce((sum, { bytes }) => sum + BLOCK + padded(bytes.length), 2 * BLOCK);
  const archive = new Uint8Array(size);
  let offset = 0;
  for (const entry of sorted) {
    archive.set(header(entry, mtime_s), offset);
    archive.set(entry.bytes, offset + BLOCK);
    offset += BLOCK + padded(entry.bytes.length);
  }
  return archive;
}

const padded = (size: number) => Math.ceil(size / BLOCK) * BLOCK;

/** Fields and their places: POSIX.1-1988, "ustar Interchange Format". */
function header({ path, bytes, executable }: TarEntry, mtime_s: number): Buffer {
  const { prefix, name } = split(path);
  const block = Buffer.alloc(BLOCK);
  block.write(name, 0);
  block.write(octal(executable === true ? 0o755 : 0o644, 8), 100);
  block.write(octal(0, 8), 108);
  block.write(octal(0, 8), 116);
  block.write(octal(bytes.length, 12), 124);
  block.write(octal(mtime_s, 12), 136);
  block.write("0", 156);
  block.write("ustar\0" + "00", 257);
  block.write(prefix, 345);
  // The sum is over the header with blanks in the sum's place.
  block.fill(" ", 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}

const octal = (value: number, width: number) => `${value.toString(8).padStart(width - 1, "0")}\0`;

function split(path: string): { prefix: string; name: string } {
  if (Buffer.byteLength(path) <= NAME_BYTES) return { prefix: "", name: path };
  for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)];
    if (Buffer.byteLength(name) <= NAME_BYTES && Buffer.byteLength(prefix) <= PREFIX_BYTES) return { prefix, name };
  }
  throw new Error(`${path}: the path is too long for an archive; shorten it`);
}
