import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readImage } from "../../src/arms/image/read-image.ts";
import { unpackImage } from "../../src/arms/image/unpack-image.ts";
import { prepareSession } from "../../src/comparison/planning/prepare-session.ts";
import { loadScenarioFile } from "../../src/comparison/scenario/load-scenario.ts";
import { startSession } from "../../src/comparison/session/start-session.ts";
import { Failure } from "../../src/domain/failure.ts";
import { testServices } from "../harness.ts";
import { LINUX, SANDBOX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { failureOf } from "../scenario/scenario-folder.ts";
import { temporaryDirectory } from "../temporary.ts";
import { never } from "../workspace/harness.ts";
import { idOf, layerOf, writeLayout } from "./make-image.ts";
import { writeTask } from "./task-image.ts";

/** It is read in many pieces: after the first file, most of it is still to come. */
const PARTS = {
  layers: [
    layerOf([
      { path: "first", text: "1" },
      { path: "large", text: Buffer.alloc(4_000_000) },
      { path: "last", text: "2" },
    ]),
  ],
};
const ID = idOf(PARTS);

function imageIn(place: string) {
  writeLayout(join(place, "image"), PARTS, "plain");
  return { image: join(place, "image"), directory: join(place, "cache") };
}

const namesIn = (directory: string) => (existsSync(directory) ? readdirSync(directory) : []);

/** What somebody finds who believes the name that an unpacked image has. */
const found = (directory: string) =>
  ["first", "last"].map((name) => readFileSync(join(directory, ID, "root", name), "utf8"));

/** Ends when the first file of an image is there, and the rest is not. */
async function half(directory: string): Promise<void> {
  while (!namesIn(directory).some((name) => existsSync(join(directory, name, "root/first"))))
    await new Promise((resolve) => setImmediate(resolve));
  expect(namesIn(directory)).not.toContain(ID);
}

const module = (path: string) => JSON.stringify(join(import.meta.dir, "../../src/arms/image", path));

/** In the middle it prints a line and waits for one, while nothing else of it runs. */
const UNPACK = `
  import { existsSync, readdirSync, readSync, writeSync } from "node:fs";
  import { readImage } from ${module("read-image.ts")};
  import { unpackImage } from ${module("unpack-image.ts")};
  const [, image, directory] = process.argv;
  const namesIn = (path) => (existsSync(path) ? readdirSync(path) : []);
  const own = (name) => name.startsWith("abeval-run-" + process.pid + "-");
  function look() {
    if (!namesIn(directory).some((name) => own(name) && existsSync(directory + "/" + name + "/root/first")))
      return void setImmediate(look);
    writeSync(1, "half\\n");
    readSync(0, Buffer.alloc(1));
  }
  setImmediate(look);
  const cache = { directory, owner: null, now: new Date() };
  writeSync(1, await unpackImage(await readImage(image), cache, new AbortController().signal) + "\\n");
  process.exit();`;

/** A process that has unpacked the first file and waits. */
async function unpackingProcess({ image, directory }: ReturnType<typeof imageIn>) {
  const child = Bun.spawn([process.execPath, "-e", UNPACK, image, directory], { stdin: "pipe", stdout: "pipe" });
  const printed = child.stdout.getReader();
  const line = async () => new TextDecoder().decode((await printed.read()).value).trim();
  expect(await line()).toBe("half");
  return { child, line };
}

testNeeding(LINUX)("a killed process leaves nothing that is taken for whole, and the next one removes it", async () => {
  using place = temporaryDirectory();
  const where = imageIn(place.path);
  const { child } = await unpackingProcess(where);
  child.kill("SIGKILL");
  await child.exited;
  expect(namesIn(where.directory)).toEqual([expect.stringMatching(/^abeval-run-/)]);
  const cache = { directory: where.directory, owner: null, now: new Date() };
  await unpackImage(await readImage(where.image), cache, never);
  expect(namesIn(where.directory)).toEqual([ID]);
  expect(found(where.directory)).toEqual(["1", "2"]);
});

test("two processes that unpack the same image at the same moment both have it, and it is there once", async () => {
  using place = temporaryDirectory();
  const where = imageIn(place.path);
  const both = await Promise.all([unpackingProcess(where), unpackingProcess(where)]);
  expect(namesIn(where.directory)).toHaveLength(2);
  for (const { child } of both) {
    child.stdin.write("\n");
    child.stdin.end();
  }
  const root = join(where.directory, ID, "root");
  expect(await Promise.all(both.map(({ line }) => line()))).toEqual([root, root]);
  expect(await Promise.all(both.map(({ child }) => child.exited))).toEqual([0, 0]);
  expect(namesIn(where.directory)).toEqual([ID]);
  expect(found(where.directory)).toEqual(["1", "2"]);
});

test("whoever gives up waits no longer, and the unpacking goes on for others until the last one gives up", async () => {
  using place = temporaryDirectory();
  const where = imageIn(place.path);
  const image = await readImage(where.image);
  const cache = { directory: where.directory, owner: null, now: new Date() };
  const [first, second, third] = [new AbortController(), new AbortController(), new AbortController()];
  const [left, stays] = [failureOf(unpackImage(image, cache, first.signal)), unpackImage(image, cache, never)];
  await half(where.directory);
  first.abort(new Failure("cancelled", "one left"));
  expect((await left).message).toBe("one left");
  expect(namesIn(where.directory)).not.toContain(ID);
  await stays;
  expect(found(where.directory)).toEqual(["1", "2"]);

  const other = { ...cache, directory: join(place.path, "other") };
  const all = [second, third].map(({ signal }) => failureOf(unpackImage(image, other, signal)));
  await half(other.directory);
  const seen = new Set<string>();
  using _looking = eachTurn(() => {
    for (const name of namesIn(other.directory))
      if (existsSync(join(other.directory, name, "root/last"))) seen.add("last");
  });
  for (const giving of [second, third]) giving.abort(new Failure("cancelled", "enough"));
  expect((await Promise.all(all)).map(({ message }) => message)).toEqual(["enough", "enough"]);
  expect([namesIn(other.directory), [...seen]]).toEqual([[], []]);
});

function eachTurn(look: () => void): Disposable {
  let over = false;
  const next = () => {
    look();
    if (!over) setImmediate(next);
  };
  setImmediate(next);
  return {
    [Symbol.dispose]: () => {
      over = true;
    },
  };
}

test("an image that the disk may not have is not kept", async () => {
  using place = temporaryDirectory();
  const where = imageIn(place.path);
  const bin = join(place.path, "bin");
  mkdirSync(bin);
  await Bun.write(join(bin, "sync"), `#!/bin/sh\necho "$@" >${join(place.path, "asked")}\nexit 1\n`);
  await Bun.$`chmod 755 ${join(bin, "sync")}`.quiet();
  const path = process.env["PATH"];
  const cache = { directory: where.directory, owner: null, now: new Date() };
  const unpacked = async (PATH: string) => {
    process.env["PATH"] = PATH;
    try {
      return await failureMessage(unpackImage(await readImage(where.image), cache, never));
    } finally {
      process.env["PATH"] = path;
    }
  };
  expect(await unpacked(`${bin}:${path}`)).toBe("could not be written to its cache's disk: it reports a fault");
  expect(readFileSync(join(place.path, "asked"), "utf8")).toMatch(/^-f .*\/cache\/abeval-run-\S+\n$/);
  expect(await unpacked("/nowhere")).toContain("this machine has no `sync`");
  expect(namesIn(where.directory)).toEqual([]);
});

const failureMessage = (work: Promise<unknown>) =>
  work.then(
    () => "",
    ({ message }: Error) => message,
  );

testNeeding(SANDBOX)(
  "a run that is cancelled while its image is unpacked ends at once, and leaves none of it",
  async () => {
    using place = temporaryDirectory();
    const image_cache = join(place.path, "cache");
    const services = testServices({}, { image_cache });
    const path = writeTask(place.path, { ...PARTS, config: { WorkingDir: "/w" } }, {});
    const plan = await prepareSession(services, await loadScenarioFile(path), {});
    const { session_id, done } = await startSession(services, plan);
    await half(image_cache);
    services.runs.live(session_id)?.cancel(new Failure("cancelled", "The run was cancelled."));
    expect(await done).toMatchObject({ state: "cancelled", failure: { stage: "preparing", code: "cancelled" } });
    expect(namesIn(image_cache)).toEqual([]);
  },
);
