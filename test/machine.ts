import { readFileSync } from "node:fs";
import type { SandboxHost } from "../src/arms/sandbox/host.ts";
import { probeSandbox } from "../src/arms/sandbox/open-sandbox.ts";
import { systemClock } from "../src/runtime/clock.ts";

/** Something that a machine may lack. A test that needs it is skipped without it, and its title says how to get it. */
export interface Need {
  /** Its name, and in parentheses how to get it. */
  readonly what: string;
  readonly met: boolean;
}

export const host: SandboxHost = {
  clock: systemClock,
  path: process.env["PATH"] ?? "",
  executable: process.execPath,
};

export const program = (name: string, from = name): Need => ({
  what: `${name} (apt-get install ${from})`,
  met: Bun.which(name) !== null,
});

export const SANDBOX: Need = {
  what: "a bubblewrap that works (apt-get install bubblewrap)",
  met: (await probeSandbox(host)).ok,
};
/** The sandbox of tests that are not about the sandbox. */
export const SANDBOX_MODE = SANDBOX.met ? "auto" : "none";
export const CHROMIUM = program("chromium");
/** One that needs no library, for images that tests make. */
export const STATIC_BUSYBOX: Need = {
  what: "a static busybox (apt-get install busybox-static)",
  met: isStatic(Bun.which("busybox")),
};
export const OPENSSL = program("openssl");
export const BASH = program("bash");
export const SCRIPT = program("script", "bsdutils");
export const PRLIMIT = program("prlimit", "util-linux");
export const GIT = program("git");
export const PYTHON = program("python3");
export const NODE = program("node", "nodejs");
export const COMPILER = program("cc", "gcc");
export const NPM = program("npm");
/** Programs that the examples of the documents use. */
export const EXAMPLE_TOOLS: readonly Need[] = [BASH, ...["curl", "jq", "git"].map((name) => program(name))];
export const LINUX: Need = { what: "Linux", met: process.platform === "linux" };
export const ROOT_USER: Need = { what: "root (run it as root)", met: process.getuid?.() === 0 };
export const SOURCES: Need = {
  what: "the sources (bun run test, without ABEVAL_BIN)",
  met: process.env["ABEVAL_BIN"] === undefined,
};

/** A program without a dynamic linker. */
function isStatic(path: string | null): boolean {
  return path !== null && readFileSync(path).indexOf("/ld-linux") === -1 && !readFileSync(path).includes("/ld-musl");
}
