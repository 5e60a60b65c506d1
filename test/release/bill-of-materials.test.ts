import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import manifest from "../../package.json";
import { readDependencyTree, VENDORED } from "../../release/dependency-tree.ts";
import { thirdPartyNotices } from "../../release/notices.ts";
import { sbom } from "../../release/sbom.ts";
import { nativeTarget } from "../../release/targets.ts";
import { ROOT } from "../abeval.ts";
import { temporaryDirectory } from "../temporary.ts";

const TREE = await readDependencyTree(ROOT);
const DESCRIBED = {
  version: "1.2.3",
  bun_version: Bun.version,
  target: nativeTarget(),
  tree: TREE,
  executable: Buffer.from("program"),
  time_s: 1_700_000_000,
};

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** Follows the packages' manifests as module resolution does, without the lock file. */
async function installedFrom(directory: string, names: readonly string[], found: Map<string, string>): Promise<void> {
  for (const name of names) {
    const home = await homeOf(directory, name);
    if (found.has(home)) continue;
    const { version, dependencies = {} }: Manifest = await Bun.file(join(home, "package.json")).json();
    found.set(home, `${name}@${version}`);
    await installedFrom(home, Object.keys(dependencies), found);
  }
}

async function homeOf(from: string, name: string): Promise<string> {
  const home = join(from, "node_modules", name);
  if (await Bun.file(join(home, "package.json")).exists()) return home;
  if (from === "/") throw new Error(`${name} is not installed`);
  return await homeOf(dirname(from), name);
}

const installed = async () => {
  const found = new Map<string, string>();
  await installedFrom(ROOT, Object.keys(manifest.dependencies), found);
  return [...new Set(found.values())];
};

test("the tree holds whatever is installed for the production dependencies, and their own dependencies", async () => {
  const ids = TREE.packages.map(({ name, version }) => `${name}@${version}`);
  const production = await installed();
  expect(production.filter((id) => !ids.includes(id))).toEqual([]);
  const development = Object.entries(manifest.devDependencies).map(([name, version]) => `${name}@${version}`);
  expect(ids.filter((id) => development.includes(id) && !production.includes(id))).toEqual([]);
});

test("the notices name every package with its license and hold its text", async () => {
  const text = await thirdPartyNotices(TREE.packages, Bun.version);
  for (const { name, version, license } of TREE.packages) expect(text).toContain(`${name}@${version}  (${license})`);
  expect(text).toContain(`bun@${Bun.version}`);
  const [first] = TREE.packages;
  expect(text).toContain((await readFile(join(first?.directory ?? "", "LICENSE"), "utf8")).trim());
});

test("packages without a license text stop the release, by name", async () => {
  using directory = temporaryDirectory();
  mkdirSync(directory.path, { recursive: true });
  writeFileSync(join(directory.path, "README.md"), "# A package\n\n## License\n\nMIT\n");
  const bare = { license: "MIT", integrity: "sha512-", directory: directory.path, needs: [] };
  const packages = ["one", "@scope/two"].map((name) => ({ ...bare, name, version: "1.0.0" }));
  await expect(thirdPartyNotices(packages, Bun.version)).rejects.toThrow(
    "no license text in one@1.0.0, @scope/two@1.0.0",
  );
});

test("the SBOM names Bun and every package once, and how they depend on each other", () => {
  const document = JSON.parse(sbom(DESCRIBED));
  const refs: string[] = document.components.map((component: { "bom-ref": string }) => component["bom-ref"]);
  expect(refs.length).toBe(TREE.packages.length + 1);
  expect(new Set(refs).size).toBe(refs.length);
  expect(refs[0]).toBe(`pkg:generic/bun@${Bun.version}`);
  const known = new Set([...refs, "pkg:generic/abeval@1.2.3"]);
  const edges: { ref: string; dependsOn?: string[] }[] = document.dependencies;
  expect(edges.flatMap(({ ref, dependsOn = [] }) => [ref, ...dependsOn]).filter((ref) => !known.has(ref))).toEqual([]);
  expect(edges[0]?.dependsOn?.length).toBe(Object.keys(manifest.dependencies).length + VENDORED.length + 1);
});

test("the SBOM says which executable it is about, and is the same each time", () => {
  expect(sbom(DESCRIBED)).toBe(sbom(DESCRIBED));
  const { metadata, serialNumber, specVersion } = JSON.parse(sbom(DESCRIBED));
  expect(specVersion).toBe("1.6");
  expect(serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(metadata.component.hashes).toEqual([
    { alg: "SHA-256", content: new Bun.CryptoHasher("sha256").update("program").digest("hex") },
  ]);
});

test("what is vendored is in the notices and in the SBOM", async () => {
  const ids = VENDORED.map(({ name, version }) => `${name}@${version}`);
  expect(ids.length).toBeGreaterThan(0);
  const notices = await thirdPartyNotices(TREE.packages, Bun.version);
  const components: { purl: string }[] = JSON.parse(sbom(DESCRIBED)).components;
  const purls = components.map(({ purl }) => purl);
  for (const id of ids) {
    expect(notices).toContain(`${id}  (MIT)`);
    expect(purls).toContain(`pkg:npm/${id.replace("@", "%40")}`);
  }
});
