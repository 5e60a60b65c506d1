import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tar } from "../../release/tar.ts";
import { archiveName, TARGETS } from "../../release/targets.ts";

const FILES = [
  "README.md",
  "CHANGELOG.md",
  "docs/a.md",
  "LICENSE",
  "THIRD_PARTY_NOTICES",
  "sbom.cdx.json",
  "ui/index.html",
  "scenarios/a.yaml",
  "examples/a.yaml",
];

/** Makes a directory with a release whose program is a shell script. All that an installer reads of it is real. */
export function writeRelease(directory: string, { version, program }: { version: string; program: string }): void {
  mkdirSync(directory, { recursive: true });
  const executable = { path: "abeval", bytes: Buffer.from(program), executable: true };
  const files = FILES.map((path) => ({ path, bytes: Buffer.from(path) }));
  const archive = Bun.gzipSync(tar([executable, ...files], 0));
  const sum = new Bun.CryptoHasher("sha256").update(archive).digest("hex");
  const names = TARGETS.map((target) => archiveName(version, target));
  for (const name of names) writeFileSync(join(directory, name), archive);
  writeFileSync(join(directory, "SHA256SUMS"), names.map((name) => `${sum}  ${name}\n`).join(""));
}
