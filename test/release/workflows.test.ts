import { expect, test } from "bun:test";
import { join } from "node:path";
import { parse } from "yaml";
import manifest from "../../package.json";
import { ROOT } from "../abeval.ts";

const read = async (name: string) => {
  const text = await Bun.file(join(ROOT, ".github/workflows", name)).text();
  return { text, workflow: parse(text) };
};

/** An action by the digest of its commit: a tag can be moved. The version is for readers. */
const PINNED = /^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;

test.each(["ci.yml", "release.yml"])("%s may only read, pins its actions and holds no secret", async (name) => {
  const { text, workflow } = await read(name);
  expect(workflow.permissions).toEqual({ contents: "read" });
  const actions = [...text.matchAll(/uses: (.+)/g)].map(([, action = ""]) => action);
  expect(actions.length).toBeGreaterThan(0);
  expect(actions.filter((action) => !PINNED.test(action))).toEqual([]);
  expect(text).not.toContain("secrets.");
});

test("only the job that uploads may write, and it runs no code of the repository", async () => {
  const { workflow } = await read("release.yml");
  expect(workflow.jobs.build.permissions).toBeUndefined();
  expect(workflow.jobs.publish.permissions).toEqual({ contents: "write" });
  const uses = workflow.jobs.publish.steps.flatMap((step: { uses?: string }) => step.uses ?? []);
  expect(uses.map((action: string) => action.split("@")[0])).toEqual(["actions/download-artifact"]);
});

test("the release is built by the version of Bun that the project names", async () => {
  const { text } = await read("release.yml");
  expect(text).toContain(`bun-version: ${manifest.packageManager.replace("bun@", "")}`);
});
