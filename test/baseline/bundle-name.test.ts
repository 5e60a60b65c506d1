import { expect, test } from "bun:test";
import { truncateSync } from "node:fs";
import { bytesAtRef, repositoryAround } from "../../src/comparison/scenario/repository.ts";
import { readBundle } from "../../src/comparison/session/read-bundle.ts";
import { sha256 } from "../../src/domain/sha256.ts";
import { gitIn, gitRepository } from "../git-repository.ts";
import { failureOf } from "../scenario/scenario-folder.ts";

const SERIES = "series-20260101T000000000Z-00000000";

/** A bundle without runs. */
function bundle(series_id = SERIES): string {
  const head = `${JSON.stringify({ type: "abeval-baseline", version: 1, series_id, at: "2026-01-01T00:00:00.000Z", preferred: null })}\n`;
  return `${head}${JSON.stringify({ type: "end", digest: sha256(head) })}\n`;
}

const OTHER = "series-20260202T000000000Z-11111111";

test("a baseline of a commit is read from the repository's objects, whatever the checkout has in its place", async () => {
  await using repository = await gitRepository({ "evals/base.jsonl": bundle() });
  const { directory, git, write } = repository;
  await write("evals/base.jsonl", bundle(OTHER));
  // Neither a filter nor a replaced object has a say.
  await write(".gitattributes", "*.jsonl filter=lie ident\n");
  git("config", "filter.lie.smudge", "cat evals/base.jsonl");
  const forged = gitIn(directory, ["hash-object", "-w", "--stdin"], bundle(OTHER));
  git("replace", git("rev-parse", "main:evals/base.jsonl"), forged);
  const read = (named: string) => readBundle(named, { here: directory });
  expect((await read("git:main:evals/base.jsonl")).series_id).toBe(SERIES);
  expect((await read(`git:main:evals/base.jsonl@sha256:${sha256(bundle())}`)).series_id).toBe(SERIES);
  expect((await read("evals/base.jsonl")).series_id).toBe(OTHER);
});

test("a pinned baseline is refused with both digests when its file is another one", async () => {
  await using repository = await gitRepository({ "base.jsonl": bundle() });
  const { directory } = repository;
  const pinned = sha256(bundle());
  expect((await readBundle(`base.jsonl@sha256:${pinned.toUpperCase()}`, { here: directory })).series_id).toBe(SERIES);
  await repository.write("base.jsonl", bundle(OTHER));
  expect((await failureOf(readBundle(`base.jsonl@sha256:${pinned}`, { here: directory }))).message).toBe(
    `base.jsonl: has the SHA-256 ${sha256(bundle(OTHER))}, and ${pinned} is pinned`,
  );
});

test.each([
  ["git:main:../base.jsonl", "has a path that"],
  ["git:main:/etc/passwd", "has a path that"],
  ["git:nowhere:base.jsonl", "names no commit of the repository"],
  ["git:--help:base.jsonl", "begins with a dash"],
  ["git::base.jsonl", "is no name of a commit"],
  ["git:main", "names no file of a commit; write git:<ref>:<path>"],
  ["git:main:none.jsonl", "has no none.jsonl"],
  ["git:main:folder", "has folder, which is no file"],
  ["git:main:link.jsonl", "has link.jsonl, which is no file"],
  ["git:main:lfs.jsonl", "which is a pointer of Git LFS"],
  ["git:main:folder\nmain:base.jsonl", "has a path that must not contain control characters"],
  ["base.jsonl@sha256:12ab", "is pinned by no SHA-256"],
  ["folder", "is not a regular file"],
  ["none.jsonl", "does not exist"],
])("a baseline named %j is refused with words", async (named, words) => {
  await using repository = await gitRepository({
    "base.jsonl": bundle(),
    "folder/file": "text",
    "lfs.jsonl": `version https://git-lfs.github.com/spec/v1\noid sha256:${"0".repeat(64)}\nsize 3\n`,
  });
  const { directory, git, commit } = repository;
  const link = gitIn(directory, ["hash-object", "-w", "--stdin"], "base.jsonl");
  commit("all");
  git("update-index", "--add", "--cacheinfo", `120000,${link},link.jsonl`);
  git("commit", "--quiet", "--message", "link");
  const { message, code } = await failureOf(readBundle(named, { here: directory }));
  expect(code).toBe("invalid_request");
  expect(message).toContain(words);
});

test("a baseline that is larger than what is read is refused before it is read", async () => {
  await using repository = await gitRepository({ "base.jsonl": "12345" });
  const { directory } = repository;
  const read = Array.fromAsync(bytesAtRef(repositoryAround(directory), { ref: "main", path: "base.jsonl" }, 4));
  expect(await read.catch(String)).toContain("has base.jsonl with 5 bytes, at most 4 are read");
  truncateSync(repository.path("base.jsonl"), 64 * 1024 * 1024 + 1);
  expect((await failureOf(readBundle("base.jsonl", { here: directory }))).message).toContain("has more than 64 MiB");
});
