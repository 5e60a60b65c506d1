import { createHash, randomFillSync } from "node:crypto";
import { createReadStream, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ARCHITECTURE } from "../test/image/make-image.ts";
import { busyboxLayer } from "../test/image/task-image.ts";
import { inTurns, report, round, sampleOf, timeProcess } from "./measure.ts";
import { ABEVAL, BenchDirectory } from "./program.ts";

const FILES = 20_000;
const FILE_BYTES = 50_000;
const ROUNDS = 7;
const GOAL = { ms: 60_000, mib: 200, later_ms: 300 };

/** An image of 1 GB in 20,000 files: unpacked by its first run, beside tar; and how much later a run on it ends than one without. */
export async function image(): Promise<void> {
  const dir = new BenchDirectory();
  const layers = makeLayers(dir.path);
  await writeImage(join(dir.scenarios, "image"), layers);
  const onImage = dir.scenario("on-image", scenario("on-image", "  image: image\n"));
  const without = dir.scenario("without", scenario("without", ""));
  const cache = { XDG_CACHE_HOME: join(dir.path, "cache") };
  await Bun.$`chmod 755 ${dir.path}`.quiet();
  const run = (file: string) => timeProcess([ABEVAL, "run", file], cache);
  const first = await run(onImage);
  if (first.status !== 0) throw new Error(`the run on the image ended with ${first.status}`);
  const unpacked = join(dir.path, "by-tar");
  mkdirSync(unpacked);
  const script = layers.map((layer) => `tar -xf ${layer} -C ${unpacked}`).join(" && ");
  const tar = await timeProcess(["sh", "-c", script]);
  report("first run on an image of 1 GB", sampleOf([first.ms]), {
    ...{ unit: "ms", yardstick: `tar -x ${round(tar.ms)} ms`, goal: `<= ${GOAL.ms} ms`, met: first.ms <= GOAL.ms },
  });
  report("its memory", sampleOf([first.peak_mib]), {
    unit: "MiB",
    yardstick: `a run without ${round((await run(without)).peak_mib)} MiB`,
    goal: `<= ${GOAL.mib} MiB`,
    met: first.peak_mib <= GOAL.mib,
  });
  const took = async (file: string) => (await run(file)).ms;
  const times = await inTurns({ without: () => took(without), on: () => took(onImage) }, ROUNDS);
  const later = times.on.median - times.without.median;
  report("a later run on it", times.on, {
    unit: "ms",
    yardstick: `${round(later)} ms later than without (${round(times.without.median)} ms), n=${ROUNDS}`,
    goal: `<= ${GOAL.later_ms} ms later`,
    met: later <= GOAL.later_ms,
  });
}

const scenario = (name: string, image: string) => `name: ${name}
task:
  prompt: Say hello.
${image}arms:
  - {id: a, model: scripted/a, system_prompt: A, script: [{calls: [{run_command: {command: "true"}}]}, {say: Hello.}]}
  - {id: b, model: scripted/b, system_prompt: B, script: [{calls: [{run_command: {command: "true"}}]}, {say: Hello.}]}
rubric: {criteria: [{measure: turns}], judge: {model: builtin/evidence}}
`;

/** Archives of a shell and of many files, which nothing can make smaller. */
function makeLayers(directory: string): readonly string[] {
  const files = join(directory, "files");
  const bytes = Buffer.alloc(FILE_BYTES);
  for (let index = 0; index < FILES; index += 1) {
    const folder = join(files, "opt/packages", String(index % 200));
    if (index < 200) mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${index}.bin`), randomFillSync(bytes));
  }
  const [shell, packages] = [join(directory, "shell.tar"), join(directory, "packages.tar")];
  writeFileSync(shell, busyboxLayer());
  Bun.spawnSync(["tar", "-cf", packages, "-C", files, "."]);
  return [shell, packages];
}

/** As a directory with what `docker save` writes. */
async function writeImage(directory: string, layers: readonly string[]): Promise<void> {
  mkdirSync(directory);
  const diff_ids = await Promise.all(layers.map(async (layer) => `sha256:${await digestOf(layer)}`));
  for (const [index, layer] of layers.entries()) await Bun.$`ln ${layer} ${join(directory, `${index}.tar`)}`.quiet();
  const config = { architecture: ARCHITECTURE, os: "linux", config: {}, rootfs: { type: "layers", diff_ids } };
  writeFileSync(join(directory, "config.json"), JSON.stringify(config));
  const manifest = [{ Config: "config.json", Layers: layers.map((_, index) => `${index}.tar`) }];
  writeFileSync(join(directory, "manifest.json"), JSON.stringify(manifest));
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest("hex");
}
