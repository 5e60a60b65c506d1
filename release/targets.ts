/** A platform that gets an archive. */
export interface Target {
  /** As in the archive's name: `linux-x64-musl`. */
  readonly name: string;
  /** What the compiler calls it. */
  readonly compiler_target: string;
  readonly os: NodeJS.Platform;
  readonly arch: NodeJS.Architecture;
  readonly musl: boolean;
}

/** Windows has none: its users run the Linux archive in WSL, where the sandbox works too. */
export const TARGETS: readonly Target[] = [
  { name: "linux-x64", compiler_target: "bun-linux-x64", os: "linux", arch: "x64", musl: false },
  { name: "linux-arm64", compiler_target: "bun-linux-arm64", os: "linux", arch: "arm64", musl: false },
  { name: "linux-x64-musl", compiler_target: "bun-linux-x64-musl", os: "linux", arch: "x64", musl: true },
  { name: "darwin-arm64", compiler_target: "bun-darwin-arm64", os: "darwin", arch: "arm64", musl: false },
  { name: "darwin-x64", compiler_target: "bun-darwin-x64", os: "darwin", arch: "x64", musl: false },
];

/**
 * The target that runs here.
 * @throws Error when there is none for this machine
 */
export function nativeTarget(): Target {
  const musl = process.platform === "linux" && isMusl();
  const found = TARGETS.find(
    (target) => target.os === process.platform && target.arch === process.arch && target.musl === musl,
  );
  if (found === undefined) throw new Error(`there is no release for ${process.platform} ${process.arch}`);
  return found;
}

/** `abeval-0.1.6-linux-x64-musl.tar.gz` */
export const archiveName = (version: string, { name }: Target) => `abeval-${version}-${name}.tar.gz`;

/** glibc names its version in the runtime's own report; musl has none. */
function isMusl(): boolean {
  const { header } = process.report.getReport() as { header: Record<string, unknown> }; // documented as a JSON object
  return header["glibcVersionRuntime"] === undefined;
}
