import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { Header } from "tar";
import { sha256 } from "../../src/domain/sha256.ts";

/** What a layer holds at a path. */
export interface LayerEntry {
  readonly path: string;
  readonly type?: "File" | "Directory" | "SymbolicLink" | "Link" | "CharacterDevice" | "FIFO" | "GNUDumpDir";
  readonly text?: string | Uint8Array;
  readonly mode?: number;
  readonly link?: string;
  readonly mtime?: Date;
  /** In place of the text's own size. */
  readonly size?: number;
}

const BLOCK = 512;

/** A tar archive, also one that no honest program makes. */
export function layerOf(entries: readonly LayerEntry[]): Buffer {
  const blocks = entries.flatMap(
    ({ path, type = "File", text = "", mode = 0o644, link, mtime = new Date(0), size }) => {
      const bytes = Buffer.from(text);
      const header = new Header({ path, mode, size: size ?? bytes.length, mtime, uid: 0, gid: 0 });
      header.type = type;
      if (link !== undefined) header.linkpath = link;
      header.encode();
      return [header.block ?? Buffer.alloc(BLOCK), padded(bytes)];
    },
  );
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}

const padded = (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)]);

export interface ImageParts {
  readonly layers: readonly Uint8Array[];
  readonly config?: Readonly<Record<string, unknown>>;
  readonly architecture?: string;
  /** What it calls itself. */
  readonly references?: readonly string[];
  /** What the index of a layout says of it. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** In place of those of the layers. */
  readonly diff_ids?: readonly string[];
}

export const ARCHITECTURE = process.arch === "x64" ? "amd64" : process.arch;

const configurationOf = ({ layers, config = {}, architecture = ARCHITECTURE, diff_ids }: ImageParts) =>
  Buffer.from(
    JSON.stringify({
      ...{ architecture, os: "linux", config },
      rootfs: { type: "layers", diff_ids: diff_ids ?? layers.map((layer) => `sha256:${sha256(layer)}`) },
    }),
  );

/** The digest of an image's configuration. */
export const idOf = (parts: ImageParts): string => sha256(configurationOf(parts));

const COMPRESS = {
  plain: (bytes: Uint8Array) => Buffer.from(bytes),
  gzip: (bytes: Uint8Array) => gzipSync(bytes),
  zstd: (bytes: Uint8Array) => zstdCompressSync(bytes),
};

/** Writes an OCI layout, and gives the digest of its manifest. */
export function writeLayout(directory: string, parts: ImageParts, compression: keyof typeof COMPRESS = "gzip"): string {
  const put = (bytes: Uint8Array) => {
    const digest = `sha256:${sha256(bytes)}`;
    write(join(directory, "blobs", digest.replace(":", "/")), bytes);
    return { digest, size: bytes.length };
  };
  const manifest = {
    schemaVersion: 2,
    config: put(configurationOf(parts)),
    layers: parts.layers.map((layer) => put(COMPRESS[compression](layer))),
  };
  const named = put(Buffer.from(JSON.stringify(manifest)));
  write(join(directory, "oci-layout"), Buffer.from('{"imageLayoutVersion":"1.0.0"}'));
  write(
    join(directory, "index.json"),
    Buffer.from(JSON.stringify({ schemaVersion: 2, manifests: [{ ...named, annotations: parts.annotations }] })),
  );
  return named.digest.slice("sha256:".length);
}

/** An archive as `docker save` writes it, with more files in it. */
export function dockerArchive(parts: ImageParts, more: readonly LayerEntry[] = []): Buffer {
  const configuration = configurationOf(parts);
  const names = parts.layers.map((_, index) => `${index}/layer.tar`);
  const manifest = [
    { Config: `${sha256(configuration)}.json`, RepoTags: parts.references ?? ["task:latest"], Layers: names },
  ];
  return layerOf([
    ...parts.layers.map((layer, index) => ({ path: names[index] ?? "", text: layer })),
    { path: `${sha256(configuration)}.json`, text: configuration },
    { path: "manifest.json", text: JSON.stringify(manifest) },
    ...more,
  ]);
}

function write(path: string, bytes: Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
}
