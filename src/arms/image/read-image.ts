import type { Static } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { errorCode } from "../../domain/failure.ts";
import { sha256 } from "../../domain/sha256.ts";
import { ImageFault } from "./image-fault.ts";
import { type FindFile, type ImageBlob, openImageFiles, streamOf } from "./image-files.ts";
import {
  Configuration,
  type Descriptor,
  DockerManifest,
  Index,
  imageJsonOf,
  JSON_BYTES,
  Manifest,
  parsedForm,
} from "./image-json.ts";

export interface Layer {
  readonly file: ImageBlob;
  /** SHA-256 of its tar archive, unpacked. */
  readonly diff_id: string;
}

/** An image that was read but for its layers. */
export interface Image {
  /** SHA-256 of its configuration, which names each layer's bytes. */
  readonly digest: string;
  /** What else it is known by: the digest of its manifest. */
  readonly known_as: readonly string[];
  /** What it calls itself, such as `python:3.12`. Anybody can write that. */
  readonly references: readonly string[];
  readonly layers: readonly Layer[];
  /** Empty: none is named. */
  readonly working_directory: string;
  /** The user as the image writes it: a name or number, with a group after a colon. Empty means root. */
  readonly user: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** What its manifest names. */
interface Parts {
  readonly configuration: Uint8Array;
  readonly layers: readonly ImageBlob[];
  readonly known_as: readonly string[];
  readonly references: readonly string[];
}

/**
 * Reads an OCI layout or an archive of `docker save`, as a directory or a tar archive, and no layer of it.
 * @param architecture of this machine, in the words of node
 * @throws ImageFault
 */
export async function readImage(path: string, architecture: string = process.arch): Promise<Image> {
  try {
    return await imageAt(path, architecture);
  } catch (error) {
    // Another user's file in a shared directory, or one that is gone by now, is no fault of ours.
    const code = errorCode(error) ?? "";
    if (!["EACCES", "EPERM", "ENOENT", "ELOOP"].includes(code)) throw error;
    throw new ImageFault(`cannot be read (${code})`, { cause: error });
  }
}

async function imageAt(path: string, architecture: string): Promise<Image> {
  const find = await openImageFiles(path);
  const platform = PLATFORMS[architecture] ?? architecture;
  const parts = (await ofDocker(find, platform)) ?? (await ofLayout(find, platform));
  if (!parts) throw new ImageFault("is no image: it holds neither index.json (OCI) nor manifest.json (docker save)");
  const configuration = parsedForm(Configuration, parts.configuration, "its configuration");
  const { os, rootfs, config } = configuration;
  if (os !== "linux" || configuration.architecture !== platform)
    throw new ImageFault(`is for ${os}/${configuration.architecture}, and this machine is linux/${platform}`);
  if (rootfs.diff_ids.length !== parts.layers.length)
    throw new ImageFault(`has ${parts.layers.length} layers, and its configuration names ${rootfs.diff_ids.length}`);
  return {
    digest: sha256(parts.configuration),
    known_as: parts.known_as,
    references: parts.references,
    layers: parts.layers.map((file, index) => ({ file, diff_id: digestIn(rootfs.diff_ids[index] ?? "") })),
    working_directory: config?.WorkingDir ?? "",
    user: config?.User ?? "",
    environment: environmentOf(config?.Env ?? []),
  };
}

/** Names of processors that node and images do not share. */
const PLATFORMS: Readonly<Record<string, string>> = { x64: "amd64", ia32: "386" };

/** Undefined without a manifest of docker's. */
async function ofDocker(find: FindFile, architecture: string): Promise<Parts | undefined> {
  const bytes = await read(find, "manifest.json");
  if (!bytes) return undefined;
  const [image, ...others] = parsedForm(DockerManifest, bytes, "manifest.json");
  if (!image || others.length > 0)
    throw new ImageFault(`holds ${others.length + (image ? 1 : 0)} images; save one alone`);
  const configuration = await demanded(find, image.Config);
  const layers = await Promise.all(image.Layers.map((name) => found(find, name)));
  const known_as = await manifestDigests(find, architecture, sha256(configuration));
  return { configuration, layers, known_as, references: image.RepoTags ?? [] };
}

/**
 * Newer archives of docker are OCI layouts too, and people know the digest that stands there. Anybody can write one into an
 * archive, so it counts only when it leads to this configuration.
 */
async function manifestDigests(
  find: FindFile,
  architecture: string,
  configuration: string,
): Promise<readonly string[]> {
  try {
    const named = await manifestOf(find, architecture);
    return named && digestIn(named.manifest.config.digest) === configuration ? named.known_as : [];
  } catch (error) {
    if (error instanceof ImageFault) return [];
    throw error;
  }
}

async function ofLayout(find: FindFile, architecture: string): Promise<Parts | undefined> {
  const named = await manifestOf(find, architecture);
  if (!named) return undefined;
  const { config, layers } = named.manifest;
  const files = await Promise.all(layers.map(({ digest }) => found(find, blobName(digest))));
  const { known_as, references } = named;
  return { configuration: await blob(find, config.digest), layers: files, known_as, references };
}

interface NamedManifest {
  readonly manifest: Static<typeof Manifest>;
  readonly known_as: readonly string[];
  readonly references: readonly string[];
}

/** What index.json leads to, straight or by one more index. Undefined without index.json. */
async function manifestOf(find: FindFile, architecture: string): Promise<NamedManifest | undefined> {
  const index = await read(find, "index.json");
  if (!index) return undefined;
  const first = oneOfThem(parsedForm(Index, index, "index.json"), architecture);
  const { "io.containerd.image.name": name, "org.opencontainers.image.ref.name": tag } = first.annotations ?? {};
  const references = [name, tag].filter((reference) => reference !== undefined);
  let chosen = first.digest;
  let bytes = await blob(find, chosen);
  const known_as = [digestIn(chosen)];
  if (Value.Check(Index, imageJsonOf(bytes, chosen))) {
    chosen = oneOfThem(parsedForm(Index, bytes, chosen), architecture).digest;
    bytes = await blob(find, chosen);
    known_as.push(digestIn(chosen));
  }
  return { manifest: parsedForm(Manifest, bytes, "its manifest"), known_as, references };
}

function oneOfThem({ manifests }: Static<typeof Index>, architecture: string): Static<typeof Descriptor> {
  const fitting = manifests.filter(
    ({ platform }) => !platform || (platform.os === "linux" && platform.architecture === architecture),
  );
  const [one, ...others] = fitting;
  if (one && others.length === 0) return one;
  throw new ImageFault(
    `holds ${fitting.length} images for linux/${architecture}; copy one alone (skopeo copy ... oci:<directory>:<tag>)`,
  );
}

/** Its bytes are what its name says. */
async function blob(find: FindFile, digest: string): Promise<Uint8Array> {
  const bytes = await demanded(find, blobName(digest));
  if (sha256(bytes) !== digestIn(digest)) throw new ImageFault(`is damaged: ${digest} has other bytes`);
  return bytes;
}

const blobName = (digest: string) => `blobs/sha256/${digestIn(digest)}`;

function digestIn(text: string): string {
  const hex = /^sha256:([0-9a-f]{64})$/.exec(text)?.[1];
  if (hex === undefined) throw new ImageFault(`names ${JSON.stringify(text.slice(0, 80))}, which is no sha256 digest`);
  return hex;
}

async function read(find: FindFile, name: string): Promise<Uint8Array | undefined> {
  const file = await find(name);
  return file && (await blobBytes(file, name));
}

/** @throws ImageFault when the file is too large for what an image says of itself, or ends early */
async function blobBytes(file: ImageBlob, name: string): Promise<Uint8Array> {
  if (file.size > JSON_BYTES)
    throw new ImageFault(`holds ${name} of ${file.size} bytes; at most ${JSON_BYTES} are read`);
  const bytes = Buffer.concat(await Array.fromAsync<Buffer>(streamOf(file)));
  if (bytes.length !== file.size) throw new ImageFault(`ends in the middle of ${name}`);
  return bytes;
}

const demanded = async (find: FindFile, name: string) => blobBytes(await found(find, name), name);

async function found(find: FindFile, name: string): Promise<ImageBlob> {
  const file = name.split("/").includes("..") ? undefined : await find(name);
  if (!file) throw new ImageFault(`lacks ${JSON.stringify(name.slice(0, 200))}, which it names`);
  return file;
}

/** Keeps the variables that a shell takes. Some images have others, and no program can be given them safely. */
function environmentOf(lines: readonly string[]): Readonly<Record<string, string>> {
  const pairs = lines.flatMap((line) => {
    const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(line) ?? [];
    return name === undefined || value === undefined || value.includes("\0") || value.length > VARIABLE_CHARS
      ? []
      : [[name, value] as const];
  });
  return Object.fromEntries(pairs);
}

const VARIABLE_CHARS = 32_768;
