import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { findInRoot, imageUser, LookUps } from "../../src/arms/image/image-root.ts";
import { readImage } from "../../src/arms/image/read-image.ts";
import { unpackImage } from "../../src/arms/image/unpack-image.ts";
import { applyLayer } from "../../src/arms/image/unpacking/apply-layer.ts";
import { IMAGE_LIMITS } from "../../src/arms/image/unpacking/image-tally.ts";
import { ImageTree } from "../../src/arms/image/unpacking/image-tree.ts";
import { sha256 } from "../../src/domain/sha256.ts";
import { testNeeding } from "../needs.ts";
import { MOUNTS, smallDisk } from "../store/storage-faults.ts";
import { temporaryDirectory } from "../temporary.ts";
import { countTurns } from "../turns.ts";
import { never } from "../workspace/harness.ts";
import { dockerArchive, type ImageParts, idOf, type LayerEntry, layerOf, writeLayout } from "./make-image.ts";

const NOW = new Date("2026-01-01T00:00:00.000Z");

interface Limited {
  readonly bytes: number;
  readonly entries: number;
}

/** What an image of these layers becomes, by path; links as `-> target`. A refusal is its message. */
async function unpacked(layers: readonly (readonly LayerEntry[])[], limits?: Limited): Promise<unknown> {
  using place = temporaryDirectory();
  const parts = { layers: layers.map(layerOf) };
  writeLayout(join(place.path, "image"), parts);
  const cache = { directory: join(place.path, "cache"), owner: null, now: NOW, ...(limits && { limits }) };
  try {
    return contents(await unpackImage(await readImage(join(place.path, "image")), cache, never));
  } catch (error) {
    expect(readdirSync(cache.directory)).toEqual([]);
    return (error as Error).message;
  }
}

function contents(root: string, below = ""): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(join(root, below), { withFileTypes: true })) {
    const name = join(below, entry.name);
    if (name === "etc") continue;
    if (entry.isSymbolicLink()) found[name] = `-> ${readlinkSync(join(root, name))}`;
    else if (entry.isDirectory()) Object.assign(found, contents(root, name));
    else found[name] = readFileSync(join(root, name), "utf8");
  }
  return found;
}

const file = (path: string, text = "x"): LayerEntry => ({ path, text });

test("layers lie one over the other, and whiteouts hide what earlier ones had", async () => {
  expect(
    await unpacked([
      [file("a", "1"), file("d/old", "1"), file("d/deep/old", "1"), file("e/one"), file("e/two"), file("kind/below")],
      [file("./a", "2"), file("d/new", "2"), file("d/.wh..wh..opq", ""), file("e/.wh.one", ""), file("kind", "file")],
      [file(".wh..wh.aufs"), file(".wh.nothing"), { path: "s", type: "SymbolicLink", link: "e" }],
    ]),
  ).toEqual({ a: "2", "d/new": "2", "e/two": "x", kind: "file", s: "-> e" });
});

test("what a layer itself has is not hidden by its own whiteouts", async () => {
  expect(await unpacked([[file("d/a", "1")], [file("d/a", "2"), file("d/.wh.a"), file("d/.wh..wh..opq")]])).toEqual({
    "d/a": "2",
  });
});

test("a path through a link stays in the image, wherever the link says it leads", async () => {
  expect(
    await unpacked([
      [
        { path: "usr/lib", type: "Directory", mode: 0o755 },
        { path: "lib", type: "SymbolicLink", link: "/usr/lib" },
      ],
      [{ path: "up", type: "SymbolicLink", link: "../../../../usr" }],
      [file("lib/a", "a"), file("up/b", "b"), { path: "hard", type: "Link", link: "lib/a" }],
    ]),
  ).toEqual({ "usr/lib/a": "a", "usr/b": "b", hard: "a", lib: "-> /usr/lib", up: "-> ../../../../usr" });
});

const nothingNamed = (path: string) => `holds "${path}", which removes nothing that can be named`;

test.each<[string, readonly (readonly LayerEntry[])[], string]>([
  ["climbs out", [[file("a/../../../b")]], 'holds "a/../../../b", which climbs out'],
  [
    "writes through a link that leads to the host",
    [[{ path: "out", type: "SymbolicLink", link: "/nowhere/on/earth" }, file("out/x")]],
    'holds something below "/out", a link that leads nowhere',
  ],
  [
    "links in a circle",
    [[{ path: "l", type: "SymbolicLink", link: "l" }, file("l/x")]],
    "holds links that lead in a circle at /l",
  ],
  [
    "links hard to the host",
    [[{ path: "passwd", type: "Link", link: "/etc/passwd" }]],
    'holds "passwd", a hard link to "/etc/passwd", which is no file of it',
  ],
  ["links hard out of itself", [[{ path: "x", type: "Link", link: "../../x" }]], 'holds "../../x", which climbs out'],
  ["removes the directory above", [[file("a/b")], [file("a/.wh...")]], nothingNamed("a/.wh...")],
  ["removes its root", [[file("a")], [file(".wh..")]], nothingNamed(".wh..")],
  ["removes a file without a name", [[file("a/b")], [file("a/.wh.")]], nothingNamed("a/.wh.")],
  ["puts a file below a file", [[file("a"), file("a/b")]], 'holds something below "/a", which is a file'],
])("a layer that %s is refused, and nothing is left", async (_what, layers, message) => {
  expect(await unpacked(layers)).toBe(message);
});

test("an image is bounded in bytes and in files, also one that claims more than it has", async () => {
  const many = Array.from({ length: 30 }, (_, index) => file(`f${index}`));
  expect(await unpacked([many], { bytes: 1e9, entries: 20 })).toBe("holds more than 20 files, directories and links");
  expect(await unpacked([[file("a", "x".repeat(2_000))]], { bytes: 1_900, entries: 20 })).toBe(
    "holds more than 0.0000019 GB",
  );
  expect(await unpacked([[{ path: "a", size: 8_000_000_000 }]], { bytes: 1e9, entries: 20 })).toBe(
    "holds more than 1 GB",
  );
  expect(await unpacked([[{ path: "a", size: 900_000 }]])).toContain("has a broken layer: ");
});

test("directories that a layer does not name count as those that it names", async () => {
  const layer = [file("a/b/c/d/e")];
  expect(await unpacked([layer], { bytes: 1e9, entries: 8 })).toEqual({ "a/b/c/d/e": "x" });
  expect(await unpacked([layer], { bytes: 1e9, entries: 4 })).toBe("holds more than 4 files, directories and links");
});

test("a layer empties a directory at no cost, however much earlier ones had in it", async () => {
  const many = Array.from({ length: 200 }, (_, index) => file(`d/f${index}`));
  const emptied = [file("d/kept", "2"), ...Array.from({ length: 3 }, () => file("d/.wh..wh..opq"))];
  expect(await unpacked([many, emptied], { bytes: 1e9, entries: 215 })).toEqual({ "d/kept": "2" });
  expect(await unpacked([many, [file(".wh..wh..opq")]], { bytes: 1e9, entries: 215 })).toEqual({});
});

/** Links that each lead along some 40 directories to the next, and hard links to a file behind them. */
function alongLinks(links: number, hardLinks: number): readonly LayerEntry[] {
  const link = (path: string, to: string): LayerEntry => ({
    path,
    type: "SymbolicLink",
    link: "d/../".repeat(18) + to,
  });
  return [
    { path: "d", type: "Directory" },
    file("target"),
    ...Array.from({ length: links }, (_, n) => link(`l${n}`, n === 0 ? "" : `l${n - 1}`)),
    ...Array.from({ length: hardLinks }, (_, n): LayerEntry => {
      return { path: `h${n}`, type: "Link", link: `l${links - 1}/target` };
    }),
  ];
}

test("links that lead along ever more directories are refused by the first path that goes along them", async () => {
  expect(await unpacked([alongLinks(38, 10_000)])).toBe(
    'holds "h0", which its links lead along more than 1000 directories; make these links shorter',
  );
});

test("others have their turn between the entries of a layer that each take long to look up", async () => {
  using place = temporaryDirectory();
  writeLayout(join(place.path, "image"), { layers: [layerOf(alongLinks(20, 200))] });
  const tree = new ImageTree(place.path, null, IMAGE_LIMITS);
  const [layer] = (await readImage(join(place.path, "image"))).layers;
  if (!layer) expect.unreachable();
  using turns = countTurns();
  await applyLayer(layer, tree, { bytes: 1e9, between: () => undefined });
  // 150,000 look-ups. Without that a chunk of the archive is one step, and there are two.
  expect(turns.count).toBeGreaterThan(100);
});

test("others have their turn after every twenty entries: a busy disk takes a millisecond for one", async () => {
  using place = temporaryDirectory();
  const tree = new ImageTree(place.path, null, IMAGE_LIMITS);
  using turns = countTurns();
  for (let entry = 0; entry < 2_000; entry += 1) await tree.turn(`f${entry}`);
  expect(turns.count).toBeGreaterThan(90);
});

test("the directories that one image may lead along are bounded for all its entries together", () => {
  const lookUps = new LookUps();
  const walk = () => {
    lookUps.begin("l/target");
    for (let step = 0; step < 1_000; step += 1) lookUps.step();
  };
  expect(() => {
    for (let path = 0; path < 10_000; path += 1) walk();
  }).not.toThrow();
  expect(walk).toThrow('holds paths that take more than 10000000 steps to look up, up to "l/target"; make an image');
});

test("others have their turn while a directory of many files is emptied, and the layer keeps its own", async () => {
  const own = Array.from({ length: 2_000 }, (_, index) => file(`d/f${index}`));
  using place = temporaryDirectory();
  const tree = new ImageTree(place.path, null, IMAGE_LIMITS);
  for (const { path } of own) tree.file(path, 0, { mode: 0o644, modified: undefined }).close();
  using turns = countTurns();
  expect(await tree.whiteout("d/.wh..wh..opq")).toBe(true);
  expect(turns.count).toBeGreaterThan(5);
  expect(readdirSync(join(place.path, "root/d"))).toHaveLength(2_000);
});

test("unpacking has an end in time, which is told as the machine's", async () => {
  using place = temporaryDirectory();
  writeLayout(
    join(place.path, "image"),
    { layers: [layerOf([{ path: "large", text: Buffer.alloc(4_000_000) }])] },
    "plain",
  );
  const cache = { directory: join(place.path, "cache"), owner: null, now: NOW, time_ms: 0 };
  const fault = await unpackImage(await readImage(join(place.path, "image")), cache, never).catch(
    (error) => error.message,
  );
  expect(fault).toStartWith("was not unpacked within 0 minutes on this machine; ");
  expect(readdirSync(cache.directory)).toEqual([]);
});

test("paths have an end: in bytes, and in directories below each other", () => {
  using place = temporaryDirectory();
  const tree = new ImageTree(place.path, null, IMAGE_LIMITS);
  const directory = (path: string) => () => tree.directory(path, { mode: 0o755, modified: undefined });
  const deep = (levels: number) => Array.from({ length: levels }, () => "d").join("/");
  expect(directory(deep(255))).not.toThrow();
  expect(existsSync(join(place.path, "root", deep(255)))).toBe(true);
  expect(directory(deep(256))).toThrow("holds a path of more than 255 directories: ");
  expect(directory(Array.from({ length: 20 }, () => "é".repeat(120)).join("/"))).toThrow(
    "holds a path of more than 4096 bytes: ",
  );
  expect(() => tree.symbolicLink("s", "../".repeat(300))).toThrow("a link to nothing that can be named");
});

test("removals count, and so does what they look at", async () => {
  const own = Array.from({ length: 5 }, (_, index) => file(`d/f${index}`));
  const limits = { bytes: 1e9, entries: 20 };
  const most = "holds more than 20 files, directories and links";
  expect(await unpacked([own, Array.from({ length: 21 }, () => file(".wh.none"))], limits)).toBe(most);
  expect(await unpacked([own, [file("d/.wh..wh..opq")]], limits)).toEqual({});
  expect(await unpacked([[...own, ...Array.from({ length: 3 }, () => file("d/.wh..wh..opq"))]], limits)).toBe(most);
});

testNeeding(MOUNTS)("an image of many small files is refused before the disk has no inode left", async () => {
  using place = temporaryDirectory();
  const many = Array.from({ length: 1_150 }, (_, index) => file(`f${index}`, ""));
  const again = Array.from({ length: 1_200 }, (): LayerEntry => ({ path: "d", type: "Directory" }));
  writeLayout(join(place.path, "image"), { layers: [layerOf([...many, ...again])] });
  const cache = { directory: join(place.path, "cache"), owner: null, now: NOW };
  mkdirSync(cache.directory);
  using _disk = smallDisk(cache.directory, "4m,nr_inodes=1200");
  const image = await readImage(join(place.path, "image"));
  await expect(unpackImage(image, cache, never)).rejects.toThrow("needs more room than its cache's disk has");
});

test("devices and pipes are left out, set-uid bits taken off, and its owner can read and write everything", async () => {
  using place = temporaryDirectory();
  const layer = layerOf([
    { path: "dev/null", type: "CharacterDevice" },
    { path: "pipe", type: "FIFO" },
    { path: "su", text: "x", mode: 0o4755 },
    { path: "closed", type: "Directory", mode: 0o2000 },
    { path: "closed/secret", text: "x", mode: 0 },
    { path: "dated", text: "x", mtime: new Date("2020-02-02T00:00:00.000Z") },
  ]);
  writeLayout(join(place.path, "image"), { layers: [layer] });
  const cache = { directory: join(place.path, "cache"), owner: null, now: NOW };
  const root = await unpackImage(await readImage(join(place.path, "image")), cache, never);
  const mode = (path: string) => (statSync(join(root, path)).mode & 0o7777).toString(8);
  expect(["su", "closed", "closed/secret"].map(mode)).toEqual(["755", "700", "600"]);
  expect(statSync(join(root, "dated")).mtime.toISOString()).toBe("2020-02-02T00:00:00.000Z");
  expect(existsSync(join(root, "pipe")) || existsSync(join(root, "dev/null"))).toBe(false);
  expect(readFileSync(join(root, "etc/resolv.conf"), "utf8")).toBe("");
});

test("our own files take the place of links, and follow none", async () => {
  using place = temporaryDirectory();
  writeFileSync(join(place.path, "victim"), "mine");
  const layer = layerOf([
    { path: "etc/hosts", type: "SymbolicLink", link: join(place.path, "victim") },
    { path: "etc/resolv.conf", type: "SymbolicLink", link: "../../../../victim" },
  ]);
  writeLayout(join(place.path, "image"), { layers: [layer] });
  const cache = { directory: join(place.path, "cache"), owner: null, now: NOW };
  const root = await unpackImage(await readImage(join(place.path, "image")), cache, never);
  expect(readFileSync(join(place.path, "victim"), "utf8")).toBe("mine");
  expect(lstatSync(join(root, "etc/hosts")).isFile()).toBe(true);
});

/** The forms in which one image may lie. */
const PARTS: ImageParts = {
  layers: [layerOf([file("a", "a")])],
  config: { WorkingDir: "/w", Env: ["A=b=c", "1X=no"] },
};

test("what a layout calls its image are two annotations, and no other", async () => {
  using place = temporaryDirectory();
  const annotations = {
    ...{ "io.containerd.image.name": "example.org/task:1", "org.opencontainers.image.ref.name": "1" },
    "org.opencontainers.image.base.name": "python:3.12",
  };
  writeLayout(place.path, { ...PARTS, annotations });
  expect((await readImage(place.path)).references).toEqual(["example.org/task:1", "1"]);
});

test("an image is the same in every form that it may have", async () => {
  using place = temporaryDirectory();
  const at = (name: string) => join(place.path, name);
  const manifest = writeLayout(at("gzip"), PARTS, "gzip");
  writeLayout(at("zstd"), PARTS, "zstd");
  writeLayout(at("plain"), PARTS, "plain");
  writeFileSync(at("docker.tar"), dockerArchive(PARTS));
  Bun.spawnSync(["tar", "-cf", at("oci.tar"), "-C", at("gzip"), "."]);
  const images = await Promise.all(
    ["gzip", "zstd", "plain", "docker.tar", "oci.tar"].map((name) => readImage(at(name))),
  );
  for (const [index, image] of images.entries()) {
    expect(image).toMatchObject({ digest: idOf(PARTS), working_directory: "/w", environment: { A: "b=c" } });
    const cache = { directory: at(`cache${index}`), owner: null, now: NOW };
    expect(contents(await unpackImage(image, cache, never))).toEqual({ a: "a" });
  }
  expect([images[0]?.known_as, images[3]?.known_as]).toEqual([[manifest], []]);
});

test("an archive of docker is known by a manifest's digest only when that manifest is in it and names its configuration", async () => {
  using place = temporaryDirectory();
  const manifestOf = (parts: ImageParts) => JSON.stringify({ config: { digest: `sha256:${idOf(parts)}` }, layers: [] });
  const own = manifestOf(PARTS);
  const other = manifestOf({ layers: [layerOf([file("other")])] });
  const indexOf = (manifest: string) =>
    JSON.stringify({ manifests: [{ digest: `sha256:${sha256(Buffer.from(manifest))}` }] });
  const blobOf = (named: string, text = named): LayerEntry => ({
    path: `blobs/sha256/${sha256(Buffer.from(named))}`,
    text,
  });
  const knownAs = async (index: string, ...blobs: readonly LayerEntry[]) => {
    writeFileSync(join(place.path, "image"), dockerArchive(PARTS, [file("index.json", index), ...blobs]));
    return (await readImage(join(place.path, "image"))).known_as;
  };
  const digests = [indexOf(own), own].map((text) => sha256(Buffer.from(text)));
  expect(await knownAs(indexOf(own), blobOf(own))).toEqual(digests.slice(1));
  expect(await knownAs(indexOf(indexOf(own)), blobOf(indexOf(own)), blobOf(own))).toEqual(digests);
  expect(await knownAs(indexOf(other), blobOf(other))).toEqual([]);
  expect(await knownAs(indexOf(other), blobOf(other, own))).toEqual([]);
  expect(await knownAs(indexOf(own))).toEqual([]);
  expect(await knownAs(indexOf("{"), blobOf("{"))).toEqual([]);
});

test.each<[string, (at: (name: string) => string) => void, string]>([
  ["is not there", () => undefined, "does not exist"],
  ["is a text", (at) => writeFileSync(at("image"), "x".repeat(600)), "is no tar archive"],
  [
    "is compressed as a whole",
    (at) => writeFileSync(at("image"), gzipSync(randomBytes(900))),
    "is compressed as a whole",
  ],
  ["is empty", (at) => writeFileSync(at("image"), ""), "is no image: it holds neither"],
  [
    "ends too early",
    (at) => writeFileSync(at("image"), dockerArchive(PARTS).subarray(0, 1_200)),
    "is an archive that ends too early",
  ],
  [
    "is for another processor",
    (at) => void writeLayout(at("image"), { ...PARTS, architecture: "s390x" }),
    "is for linux/s390x, and this machine is linux/",
  ],
  [
    "names more layers than it has",
    (at) => void writeLayout(at("image"), { ...PARTS, diff_ids: [] }),
    "has 1 layers, and its configuration names 0",
  ],
  [
    "has a manifest of another form",
    (at) => writeFileSync(at("image"), layerOf([{ path: "manifest.json", text: '[{"Config":1}]' }])),
    "cannot be read: manifest.json has another form",
  ],
  [
    "lacks what it names",
    (at) => writeFileSync(at("image"), layerOf([{ path: "manifest.json", text: '[{"Config":"../x","Layers":[]}]' }])),
    'lacks "../x", which it names',
  ],
])("an image that %s is refused in words", async (_what, make, message) => {
  using place = temporaryDirectory();
  make((name) => join(place.path, name));
  const said = await readImage(join(place.path, "image")).then(
    () => "",
    (error: Error) => error.message,
  );
  expect(said).toContain(message);
});

test("a damaged layer is refused, whatever it wrote before that showed", async () => {
  using place = temporaryDirectory();
  writeLayout(join(place.path, "image"), { ...PARTS, diff_ids: [`sha256:${"0".repeat(64)}`] });
  const cache = { directory: join(place.path, "cache"), owner: null, now: NOW };
  const image = await readImage(join(place.path, "image"));
  await expect(unpackImage(image, cache, never)).rejects.toThrow(
    "is damaged: a layer is not what its configuration names",
  );
  expect(readdirSync(cache.directory).filter((name) => name === image.digest)).toEqual([]);
});

test("an image that is removed before it is unpacked is said to be gone, not broken", async () => {
  using place = temporaryDirectory();
  writeLayout(join(place.path, "image"), PARTS);
  const cache = { directory: join(place.path, "cache"), owner: null, now: NOW };
  const image = await readImage(join(place.path, "image"));
  rmSync(join(place.path, "image"), { recursive: true });
  await expect(unpackImage(image, cache, never)).rejects.toThrow(
    "was removed before it was unpacked; put it back, and run again",
  );
  expect(readdirSync(cache.directory)).toEqual([]);
});

test("a layer that is compressed twice is refused, also when its first byte comes alone", async () => {
  using place = temporaryDirectory();
  const at = (name: string) => join(place.path, name);
  const gzip = gzipSync(layerOf([file("a")]));
  const zstd = zstdCompressSync(layerOf([file("a")]));
  writeLayout(at("gzip"), { layers: [gzip] }, "zstd");
  writeLayout(at("zstd"), { layers: [zstd] }, "gzip");
  const slow = compressedByByte(gzip);
  writeFileSync(at("slow"), slow);
  const image = await readImage(at("gzip"));
  const layers = [{ file: { path: at("slow"), start: 0, size: slow.length }, diff_id: sha256(gzip) }];
  for (const twice of [image, await readImage(at("zstd")), { ...image, layers }]) {
    const cache = { directory: at("cache"), owner: null, now: NOW };
    await expect(unpackImage(twice, cache, never)).rejects.toThrow("has a layer that is compressed twice");
    expect(readdirSync(cache.directory)).toEqual([]);
  }
});

/** A long name of the second member keeps all but the first byte out of the first chunk that is read. */
function compressedByByte(bytes: Buffer): Buffer {
  const rest = gzipSync(bytes.subarray(1));
  const NAMED = 8;
  rest[3] = NAMED;
  const name = Buffer.concat([Buffer.alloc(70_000, "n"), Buffer.alloc(1)]);
  return Buffer.concat([gzipSync(bytes.subarray(0, 1)), rest.subarray(0, 10), name, rest.subarray(10)]);
}

test("it is unpacked once, also for two who ask at the same time, and what is old goes", async () => {
  using place = temporaryDirectory();
  writeLayout(join(place.path, "image"), PARTS);
  const image = await readImage(join(place.path, "image"));
  const cache = { directory: join(place.path, "cache"), owner: null, now: NOW };
  const [one, other] = await Promise.all([unpackImage(image, cache, never), unpackImage(image, cache, never)]);
  const { ino } = lstatSync(one);
  expect([other, lstatSync(await unpackImage(image, cache, never)).ino]).toEqual([one, ino]);
  expect(readdirSync(cache.directory)).toEqual([image.digest]);
  const long = new Date(NOW.getTime() - 31 * 24 * 60 * 60 * 1000);
  utimesSync(join(cache.directory, image.digest), long, long);
  const next = { layers: [layerOf([file("b")])] };
  writeLayout(join(place.path, "next"), next);
  await unpackImage(await readImage(join(place.path, "next")), cache, never);
  expect(readdirSync(cache.directory)).toEqual([idOf(next)]);
});

test("a user is looked up in the image, by name or number", async () => {
  using place = temporaryDirectory();
  const lists = [
    { path: "etc/passwd", text: "root:x:0:0::/root:/bin/sh\nwork:x:1200:1300::/w:/bin/sh\n" },
    { path: "etc/group", text: "root:x:0:\ncrew:x:77:\n" },
  ];
  writeLayout(join(place.path, "image"), { layers: [layerOf(lists)] });
  const cache = { directory: join(place.path, "cache"), owner: null, now: NOW };
  const root = await unpackImage(await readImage(join(place.path, "image")), cache, never);
  expect(["", "work", "1200", "work:crew", "5:6", "9"].map((user) => imageUser(root, user))).toEqual([
    { uid: 0, gid: 0 },
    { uid: 1200, gid: 1300 },
    { uid: 1200, gid: 1300 },
    { uid: 1200, gid: 77 },
    { uid: 5, gid: 6 },
    { uid: 9, gid: 0 },
  ]);
  for (const user of ["nobody-here", "work:nobody", "-1", "4294967296"])
    expect(() => imageUser(root, user)).toThrow("whom its /etc/passwd and /etc/group do not name");
  expect(findInRoot(root, "/etc/../../../etc/passwd")?.path).toBe(join(root, "etc/passwd"));
});
