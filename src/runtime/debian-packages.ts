import { existsSync, readFileSync } from "node:fs";

/** Where the names of installed Debian packages stand. */
const STATUS = "/var/lib/dpkg/status";

let installed: ReadonlySet<string> | null | undefined;

/** The Debian packages of this machine, as they were when this was first asked; null on another system. */
export function debianPackages(): ReadonlySet<string> | null {
  installed ??= existsSync(STATUS) ? namesIn(readFileSync(STATUS, "utf8")) : null;
  return installed;
}

function namesIn(status: string): ReadonlySet<string> {
  const entries = status.split("\n\n").filter((entry) => /^Status: .* installed$/m.test(entry));
  return new Set(entries.flatMap((entry) => /^Package: (\S+)$/m.exec(entry)?.[1] ?? []));
}
