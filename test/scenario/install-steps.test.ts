import { expect, test } from "bun:test";
import { nodeSteps, pythonEnvironment } from "../../src/comparison/scenario/draft/test-files.ts";

interface Given {
  readonly top: readonly string[];
  readonly packageManager?: string;
  readonly lock?: string;
}

const stepsFor = ({ top, packageManager, lock = "" }: Given) =>
  nodeSteps({
    top: new Set(top),
    manifest: JSON.stringify({ packageManager }),
    locks: { "yarn.lock": lock, "pnpm-lock.yaml": lock },
  });

const PNPM = "install --frozen-lockfile --store-dir ~/.pnpm-store";
const BERRY = "YARN_NODE_LINKER=node-modules YARN_ENABLE_GLOBAL_CACHE=true npx --yes @yarnpkg/cli-dist";

test.each<[Given, string]>([
  [{ top: [] }, "npm install"],
  [{ top: ["package-lock.json"] }, "npm ci"],
  [{ top: ["npm-shrinkwrap.json"] }, "npm ci"],
  [{ top: ["bun.lock"] }, "bun install --frozen-lockfile"],
  [{ top: ["bun.lockb"] }, "bun install --frozen-lockfile"],
  [{ top: ["pnpm-lock.yaml"], lock: "lockfileVersion: 5.4\n" }, `npx --yes pnpm@7 ${PNPM}`],
  [{ top: ["pnpm-lock.yaml"], lock: "lockfileVersion: '6.0'\n" }, `npx --yes pnpm@8 ${PNPM}`],
  [{ top: ["pnpm-lock.yaml"], lock: "lockfileVersion: '9.0'\n" }, `npx --yes pnpm@9 ${PNPM}`],
  [{ top: ["pnpm-lock.yaml"], packageManager: "pnpm@10.2.1+sha512.abc" }, `npx --yes pnpm@10.2.1 ${PNPM}`],
  [{ top: ["yarn.lock"], lock: "# yarn lockfile v1\n" }, "npx --yes yarn@1 install --frozen-lockfile --ignore-engines"],
  [
    { top: ["yarn.lock"], packageManager: "yarn@1.22.19" },
    "npx --yes yarn@1.22.19 install --frozen-lockfile --ignore-engines",
  ],
  [{ top: ["yarn.lock"], lock: "__metadata:\n  version: 6\n" }, `${BERRY}@3 install --immutable`],
  [{ top: ["yarn.lock"], lock: "__metadata:\n  version: 8\n" }, `${BERRY}@4.9.2 install --immutable`],
  [{ top: ["yarn.lock"], packageManager: "yarn@4.4.1" }, `${BERRY}@4.4.1 install --immutable`],
  // Of several lock files the one of the named program counts, and a name without its lock file does not.
  [{ top: ["package-lock.json", "pnpm-lock.yaml"], packageManager: "npm@10.0.0" }, "npm ci"],
  [{ top: ["package-lock.json"], packageManager: "yarn@4.4.1" }, "npm ci"],
  [{ top: ["yarn.lock"], packageManager: "$(touch x)" }, "npx --yes yarn@1 install --frozen-lockfile --ignore-engines"],
  [
    { top: ["yarn.lock"], packageManager: "yarn@1.22.19; touch x" },
    "npx --yes yarn@1.22.19 install --frozen-lockfile --ignore-engines",
  ],
])("%j is installed as its lock file says", (given, step) => {
  expect(stepsFor(given)).toEqual([step]);
});

test.each([
  ["uv.lock", "uv sync --frozen"],
  ["poetry.lock", "poetry install --no-interaction"],
])("%s is installed into the workspace, and its Python runs the tests", (lock, command) => {
  const { setup, python } = pythonEnvironment({ top: new Set([lock, "pyproject.toml"]) });
  expect(python).toBe(".venv/bin/python");
  expect(setup[0]).toStartWith(`command -v ${command.split(" ")[0]} || `);
  expect(setup[1]).toEndWith(` ${command}`);
});

test("Python without a lock file is taken as it is", () => {
  expect(pythonEnvironment({ top: new Set(["pyproject.toml"]) })).toEqual({ setup: [], python: "python3" });
});
