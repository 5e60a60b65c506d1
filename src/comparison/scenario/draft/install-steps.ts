import { asText, dig, parseJson } from "../../../domain/lenient.ts";

/** What says how a repository's packages are installed. */
export interface PackageFiles {
  /** Paths at its top. */
  readonly top: ReadonlySet<string>;
  /** Text of `package.json`; null without one. */
  readonly manifest: string | null;
  /** How lock files begin whose form depends on the version of their program, by their name. */
  readonly locks: Readonly<Record<string, string>>;
}

type Manager = "bun" | "npm" | "pnpm" | "yarn";

const LOCKS: Readonly<Record<string, Manager>> = {
  "bun.lock": "bun",
  "bun.lockb": "bun",
  "pnpm-lock.yaml": "pnpm",
  "package-lock.json": "npm",
  "npm-shrinkwrap.json": "npm",
  "yarn.lock": "yarn",
};

/**
 * The setup steps that install the packages of a `package.json` exactly as its lock file says. Programs that few machines have
 * below /usr are fetched, in the version that wrote the lock file.
 */
export function nodeSteps({ top, manifest, locks }: PackageFiles): readonly string[] {
  const named = /^(npm|pnpm|yarn|bun)@(\d+\.\d+\.\d+)/.exec(
    asText(dig(parseJson(manifest ?? "{}"), "packageManager")) ?? "",
  );
  const found = Object.entries(LOCKS).filter(([lock]) => top.has(lock));
  const [lock, manager] = found.find(([, one]) => one === named?.[1]) ?? found[0] ?? [];
  const version = named?.[1] === manager ? named?.[2] : undefined;
  const head = locks[lock ?? ""] ?? "";
  switch (manager) {
    case undefined:
      return ["npm install"];
    case "npm":
      return ["npm ci"];
    case "bun":
      return ["bun install --frozen-lockfile"];
    case "pnpm":
      // Its own choice of a store would be the workspace, which every arm copies.
      return [`npx --yes pnpm@${version ?? pnpmFor(head)} install --frozen-lockfile --store-dir ~/.pnpm-store`];
    case "yarn":
      return [yarn(version, head)];
  }
}

/** The versions that wrote the form of a lock file. */
const pnpmFor = (head: string) => ({ "5": "7", "6": "8" })[/lockfileVersion: '?(\d+)/.exec(head)?.[1] ?? ""] ?? "9";
/** Later ones of 4 write another form, and refuse to keep this one as it is. */
const yarnFor = (head: string) =>
  ({ "6": "3", "8": "4.9.2" })[/__metadata:\s+version: (\d+)/.exec(head)?.[1] ?? ""] ?? "4";

function yarn(version: string | undefined, head: string): string {
  const isClassic = version?.startsWith("1.") ?? !head.includes("__metadata:");
  // Like npm, yarn then only warns when a package wants a newer Node.
  if (isClassic) return `npx --yes yarn@${version ?? "1"} install --frozen-lockfile --ignore-engines`;
  // Its other ways to install leave packages in HOME, which is gone when the checks run.
  const settings = "YARN_NODE_LINKER=node-modules YARN_ENABLE_GLOBAL_CACHE=true";
  return `${settings} npx --yes @yarnpkg/cli-dist@${version ?? yarnFor(head)} install --immutable`;
}

/** How a Python repository is installed from its lock file, and the Python that then runs its tests. */
interface PythonEnvironment {
  readonly setup: readonly string[];
  readonly python: string;
}

/** How to install from the lock file of uv or poetry. Without one nothing is installed. */
export function pythonEnvironment({ top }: Pick<PackageFiles, "top">): PythonEnvironment {
  const python = ".venv/bin/python";
  if (top.has("uv.lock"))
    // A Python that uv fetches must lie where the checks find it.
    return { setup: [fetched("uv"), withFetched('UV_PYTHON_INSTALL_DIR="$PWD/.python" uv sync --frozen')], python };
  if (top.has("poetry.lock"))
    return {
      setup: [fetched("poetry"), withFetched("POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --no-interaction")],
      python,
    };
  return { setup: [], python: "python3" };
}

/** Makes a program available that the sandbox may lack. */
const fetched = (program: string) =>
  `command -v ${program} || { python3 -m venv ~/.tools && ~/.tools/bin/pip install --quiet ${program}; }`;

const withFetched = (command: string) => `PATH="$PATH:$HOME/.tools/bin" ${command}`;
