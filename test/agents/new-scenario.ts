import { expect } from "bun:test";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { abeval } from "../abeval.ts";
import { gitRepository } from "../git-repository.ts";
import { GIT, NPM, SANDBOX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { temporaryDirectory } from "../temporary.ts";
import { UNREACHABLE } from "./real-servers.ts";

/** A repository with packages: how its lock file is written, and what its tests are. */
interface Kind {
  readonly lock: string;
  readonly packages: Readonly<Record<string, string>>;
  readonly test: string;
}

const CHECK = "expect(pages(21, 10)).toBe(3)";
const JEST = `const { pages } = require("../pager.js");\ntest("the rest counts", () => { ${CHECK}; });\n`;
const MOCHA = `const { expect } = require("chai");\nconst { pages } = require("../pager.js");\nit("counts the rest", () => { expect(pages(21, 10)).to.equal(3); });\n`;
const VITEST = `import { expect, test } from "vitest";\nimport { pages } from "../pager.js";\ntest("the rest counts", () => { ${CHECK}; });\n`;

const MOCHA_PACKAGES = { mocha: "10.8.2", chai: "4.5.0" };

const KINDS: Readonly<Record<string, Kind>> = {
  npm: { lock: "npm install --package-lock-only", packages: { jest: "29.7.0" }, test: JEST },
  "yarn 1": { lock: "npx --yes yarn@1 install --ignore-scripts", packages: MOCHA_PACKAGES, test: MOCHA },
  "yarn 4": {
    lock: "npx --yes @yarnpkg/cli-dist@4.9.2 install --mode=update-lockfile",
    packages: MOCHA_PACKAGES,
    test: MOCHA,
  },
  pnpm: { lock: "npx --yes pnpm@9.15.4 install --lockfile-only", packages: { vitest: "2.1.9" }, test: VITEST },
  bun: { lock: "bun install --lockfile-only", packages: { zod: "3.23.8" }, test: VITEST.replace("vitest", "bun:test") },
};

const PAGER = `require("semver");\nexports.pages = (total, size) => Math.floor(total / size);\n`;

const manifest = ({ packages }: Kind) =>
  JSON.stringify({ dependencies: { semver: "7.6.3" }, devDependencies: packages, private: true });

/** Whether packages can be had; asked once, before a test is registered. */
function reachesRegistry(): boolean {
  using directory = temporaryDirectory();
  const { success, stderr } = Bun.spawnSync([process.execPath, "add", "semver@7.6.3"], { cwd: directory.path });
  if (success || UNREACHABLE.test(stderr.toString())) return success;
  throw new Error(`semver@7.6.3 cannot be installed:\n${stderr}`);
}

const REGISTRY = { what: "the npm registry (a network)", met: reachesRegistry() };

/** Its first commit has the packages and their lock file, its second the fix with its test. */
async function repositoryOf(kind: Kind) {
  const repository = await gitRepository({
    "package.json": manifest(kind),
    "pager.js": PAGER,
    ".gitignore": "node_modules\n.yarn\n",
  });
  using apart = temporaryDirectory();
  cpSync(repository.path("package.json"), join(apart.path, "package.json"));
  const { success, stdout, stderr } = Bun.spawnSync(["sh", "-c", kind.lock], { cwd: apart.path });
  if (!success) throw new Error(`${kind.lock} failed:\n${stdout}${stderr}`);
  for (const name of ["node_modules", ".yarn"]) rmSync(join(apart.path, name), { recursive: true, force: true });
  cpSync(apart.path, repository.directory, { recursive: true });
  repository.commit("Packages");
  await Bun.write(repository.path("pager.js"), PAGER.replace("floor", "ceil"));
  await Bun.write(repository.path(`test/pager.test.${kind.test.startsWith("import") ? "mjs" : "js"}`), kind.test);
  repository.commit("Count the last page");
  return repository;
}

for (const [name, kind] of Object.entries(KINDS))
  testNeeding(
    SANDBOX,
    GIT,
    NPM,
    REGISTRY,
  )(
    `a commit of a repository whose packages ${name} locks becomes a ready scenario`,
    async () => {
      await using repository = await repositoryOf(kind);
      const args = ["run", "--new", "evals/fix.yaml", "--from", "HEAD", "--sandbox", "bubblewrap", "--quiet"];
      const { status, stdout, stderr } = await abeval(args, { cwd: repository.directory });
      expect({ status, stderr }, stdout).toEqual({ status: 0, stderr: "" });
      const { task } = Bun.YAML.parse(await Bun.file(repository.path("evals/fix.yaml")).text()) as {
        readonly task: { readonly setup: readonly string[]; readonly probe: { readonly checks: readonly object[] } };
      };
      expect(task.setup).toHaveLength(1);
      expect(task.probe.checks).toEqual([
        expect.objectContaining({ id: "pager-test", before: "fail", required: true }),
      ]);
    },
    600_000,
  );
