import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { readBoundedJson } from "../../runtime/bounded-json.ts";
import { ImageFault } from "./image-fault.ts";

/** Bytes of a manifest, an index or a configuration. */
export const JSON_BYTES = 4 * 1024 * 1024;
const JSON_VALUES = 50_000;

/** Docker makes 127 at most. */
const MOST_LAYERS = 256;

/** Names of an image that one file may hold. */
const MOST_REFERENCES = 100;

export const Descriptor = Type.Object({
  digest: Type.String(),
  annotations: Type.Optional(
    Type.Object({
      "io.containerd.image.name": Type.Optional(Type.String()),
      "org.opencontainers.image.ref.name": Type.Optional(Type.String()),
    }),
  ),
  platform: Type.Optional(Type.Object({ os: Type.String(), architecture: Type.String() })),
});
export const Index = Type.Object({ manifests: Type.Array(Descriptor, { maxItems: 1_000 }) });
export const Manifest = Type.Object({ config: Descriptor, layers: Type.Array(Descriptor, { maxItems: MOST_LAYERS }) });
export const DockerManifest = Type.Array(
  Type.Object({
    Config: Type.String(),
    RepoTags: Type.Optional(Type.Union([Type.Null(), Type.Array(Type.String(), { maxItems: MOST_REFERENCES })])),
    Layers: Type.Array(Type.String(), { maxItems: MOST_LAYERS }),
  }),
);
export const Configuration = Type.Object({
  architecture: Type.String(),
  os: Type.String(),
  config: Type.Optional(
    Type.Union([
      Type.Null(),
      Type.Object({
        Env: Type.Optional(Type.Union([Type.Null(), Type.Array(Type.String(), { maxItems: 1_000 })])),
        WorkingDir: Type.Optional(Type.String()),
        User: Type.Optional(Type.String()),
      }),
    ]),
  ),
  rootfs: Type.Object({ diff_ids: Type.Array(Type.String(), { maxItems: MOST_LAYERS }) }),
});

export function imageJsonOf(bytes: Uint8Array, what: string): unknown {
  const read = readBoundedJson(bytes, { bytes: JSON_BYTES, values: JSON_VALUES, levels: 40 });
  if ("fault" in read) throw new ImageFault(`cannot be read: ${what} has ${read.fault}`);
  return read.value;
}

export function parsedForm<T extends TSchema>(schema: T, bytes: Uint8Array, what: string): Static<T> {
  const value = imageJsonOf(bytes, what);
  if (Value.Check(schema, value)) return value;
  const { path = "", message = "" } = Value.Errors(schema, value).First() ?? {};
  throw new ImageFault(`cannot be read: ${what} has another form${path && ` at ${path.slice(0, 80)}`} (${message})`);
}
