import { createHash } from "node:crypto";
import type { Dependency, DependencyTree } from "./dependency-tree.ts";
import type { Target } from "./targets.ts";

export interface Described {
  readonly version: string;
  readonly bun_version: string;
  readonly target: Target;
  readonly tree: DependencyTree;
  readonly executable: Uint8Array;
  /** Of the commit. */
  readonly time_s: number;
}

/** A CycloneDX 1.6 document for one archive. Its serial number follows from the executable, so it is the same each time. */
export function sbom({ version, bun_version, target, tree, executable, time_s }: Described): string {
  const sha256 = createHash("sha256").update(executable).digest("hex");
  const product = `pkg:generic/abeval@${version}`;
  const runtime = `pkg:generic/bun@${bun_version}`;
  const document = {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${uuidFrom(sha256)}`,
    version: 1,
    metadata: {
      timestamp: new Date(time_s * 1000).toISOString(),
      component: {
        type: "application",
        "bom-ref": product,
        name: "abeval",
        version,
        purl: product,
        licenses: [{ license: { id: "MIT" } }],
        hashes: [{ alg: "SHA-256", content: sha256 }],
        properties: [{ name: "abeval:target", value: target.name }],
      },
    },
    components: [
      {
        type: "platform",
        "bom-ref": runtime,
        name: "bun",
        version: bun_version,
        purl: runtime,
        licenses: [{ license: { id: "MIT" } }],
      },
      ...tree.packages.map(component),
    ],
    dependencies: [
      { ref: product, dependsOn: [runtime, ...tree.direct.map(purlOf)] },
      { ref: runtime },
      ...tree.packages.map(({ name, version: its, needs }) => ({
        ref: purlOf(`${name}@${its}`),
        ...(needs.length > 0 && { dependsOn: needs.map(purlOf) }),
      })),
    ],
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function component({ name, version, license, integrity }: Dependency) {
  const purl = purlOf(`${name}@${version}`);
  return {
    type: "library",
    "bom-ref": purl,
    name,
    version,
    purl,
    licenses: /^[\w.-]+$/.test(license) ? [{ license: { id: license } }] : [{ expression: license }],
    hashes: [{ alg: "SHA-512", content: Buffer.from(integrity.replace("sha512-", ""), "base64").toString("hex") }],
  };
}

/** A package URL: the scope's `@` is written `%40`. */
const purlOf = (id: string) => `pkg:npm/${id.replace(/^@/, "%40")}`;

/** A version 8 UUID (RFC 9562): its bits are ours to choose. */
function uuidFrom(hex: string): string {
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join("-");
}
