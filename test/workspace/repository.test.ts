import { expect, test } from "bun:test";
import { existsSync, mkdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openSandbox } from "../../src/arms/sandbox/open-sandbox.ts";
import { openPristine } from "../../src/arms/workspace/pristine.ts";
import { commitAll } from "../../src/arms/workspace/run-setup.ts";
import type { Workspace } from "../../src/arms/workspace/workspace.ts";
import { gitRepository } from "../git-repository.ts";
import { GIT, host } from "../machine.ts";
import { describeNeeding } from "../needs.ts";
import { Directory, describeEachKind, never, shell } from "./harness.ts";

const FILES = { "a.txt": "a\n", "lib/b.txt": "b\n", ".gitignore": "out/\n" };
const NO_OVERLAY = { restore: [], overlay: { dir: null, files: {} } };

describeNeeding(GIT)("a workspace that is a repository", () => {
  describeEachKind("in each sandbox", (kind) => {
    const open = (files: Readonly<Record<string, string>> = FILES, dir: string | null = null) =>
      openPristine({ source: { dir, files, repository: true }, sandbox: openSandbox(kind, host), keep: false });
    const said = async (workspace: Workspace, run: string) => (await workspace.exec(shell(run), never)).output;

    test("has one clean commit with all that is not ignored, the same in each run and after any setup", async () => {
      const look =
        "git status --porcelain; git rev-list --all --count; git ls-files; git fsck --full 2>&1; git rev-parse HEAD";
      const seen: string[] = [];
      for (const steps of [
        [],
        [],
        ["git log -1 --format=%s > out.log; mkdir out; echo c > out/c; echo made > made.txt"],
      ]) {
        await using pristine = open();
        await pristine.setup(
          steps.map((run) => ({ run, timeout_s: 60 })),
          never,
        );
        await using workspace = pristine.open();
        seen.push(await said(workspace, look));
        expect((await workspace.changes()).files).toEqual([]);
      }
      const [plain, again, after_setup] = seen;
      expect(plain).toMatch(/^1\n\.gitignore\na\.txt\nlib\/b\.txt\n[0-9a-f]{40}\n$/);
      expect(again).toBe(plain ?? "");
      expect(after_setup).toMatch(/^1\n\.gitignore\na\.txt\nlib\/b\.txt\nmade\.txt\nout\.log\n[0-9a-f]{40}\n$/);
    });

    test("may be empty", async () => {
      await using pristine = open({});
      await pristine.setup([], never);
      await using workspace = pristine.open();
      expect(await said(workspace, "git status --porcelain; git log --format=%s")).toBe("Initial commit\n");
    });

    test("lacks what the fixture holds of other repositories, wherever they lie", async () => {
      await using other = await gitRepository({ "a.txt": "a\n", "b.txt": "fix\n" });
      await using nested = await gitRepository({ "n.txt": "n\n" });
      Bun.spawnSync(["cp", "-r", nested.directory, join(other.directory, "vendored")]);
      other.git("tag", "fixed");
      await using pristine = open({}, other.directory);
      await pristine.setup([], never);
      await using workspace = pristine.open();
      expect(await said(workspace, "git tag; git rev-list --all --count; git ls-files; find . -name .git")).toBe(
        "1\na.txt\nb.txt\nvendored/n.txt\n./.git\n",
      );
    });

    test("counts the files that an arm leaves as its change, and none of its commits, branches and stashes", async () => {
      await using pristine = open();
      await pristine.setup([], never);
      await using workspace = pristine.open();
      const work =
        "set -e; echo changed > a.txt; git commit -qam one; git checkout -qb other; git rm -q lib/b.txt; git commit -qm two; " +
        "git checkout -q main; echo lost > lost.txt; git add lost.txt; git stash -q; git log --all --oneline | wc -l";
      expect((await said(workspace, work)).trim()).toBe("5");
      expect((await workspace.changes()).files.map(({ path }) => path)).toEqual(["a.txt"]);
      const { workspace: check } = await workspace.fork(NO_OVERLAY);
      await using copy = check;
      expect(await said(copy, "git log --all --format=%s; git status --porcelain; git stash list")).toBe(
        "Initial commit\n M a.txt\n",
      );
    });

    test("runs and reads nothing for a hostile .git, on the host or in a check", async () => {
      using outside = new Directory({ secret: "secret\n" });
      const mark = join(outside.path, "ran");
      const evil = `touch ${mark} ran-in-check; exit 0`;
      await using pristine = open();
      await pristine.setup([], never);
      const dirty = [
        "mkdir -p .git/hooks",
        `printf '#!/bin/sh\\n${evil}\\n' > .git/evil; chmod +x .git/evil`,
        "for hook in pre-commit post-checkout post-index-change fsmonitor-watchman; do cp .git/evil .git/hooks/$hook; done",
        'printf \'[core]\\n fsmonitor = .git/evil\\n pager = .git/evil\\n sshCommand = .git/evil\\n[filter "x"]\\n clean = .git/evil\\n smudge = .git/evil\\n[diff "x"]\\n textconv = .git/evil\\n[include]\\n path = /etc/passwd\\n\' >> .git/config',
        "echo '* filter=x diff=x' > .git/info/attributes",
        `echo ${outside.path} > .git/objects/info/alternates; echo ${outside.path} > .git/commondir`,
        "echo changed > a.txt",
      ];
      for (const run of [dirty.join("\n"), `${dirty.join("\n")}\nrm -rf .git; ln -s ${outside.path} .git`]) {
        await using workspace = pristine.open();
        await said(workspace, run);
        expect((await workspace.changes()).files.map(({ path }) => path)).toEqual(["a.txt"]);
        expect(await workspace.altered(["**"])).toEqual(["a.txt"]);
        expect((await workspace.list()).map(({ path }) => path)).toEqual([".gitignore", "a.txt", "lib/b.txt"]);
        const { workspace: check } = await workspace.fork(NO_OVERLAY);
        await using copy = check;
        expect(await said(copy, "git status --porcelain; git diff --stat >/dev/null; git fsck 2>&1; ls")).toBe(
          " M a.txt\na.txt\nlib\n",
        );
        expect(existsSync(mark)).toBe(false);
      }
    });
  });

  test("is never the one around it, also where a setup broke it", async () => {
    await using around = await gitRepository({ "own.txt": "own\n" });
    const head = around.git("rev-parse", "HEAD");
    const directory = join(around.directory, "place");
    mkdirSync(join(directory, ".git"), { recursive: true });
    await writeFile(join(directory, "new.txt"), "new\n");
    const place = { directory, disk: { bytes: 0, unmeasured_bytes: 0 } };
    expect(await commitAll(openSandbox("none", host), place, never).catch(String)).toContain("not a git repository");
    expect([around.git("rev-parse", "HEAD"), around.git("diff", "--cached", "--name-only")]).toEqual([head, ""]);
  });

  test("says why no commit could be made", async () => {
    const source = {
      dir: null,
      files: { ".gitattributes": "* working-tree-encoding=NONE\n" },
      repository: true,
    } as const;
    await using pristine = openPristine({ source, sandbox: openSandbox("none", host), keep: false });
    expect(await pristine.setup([], never).catch(String)).toMatch(
      /task\.fixture\.repository: no commit could be made \(exit code 128\): .*encod/s,
    );
  });
});
