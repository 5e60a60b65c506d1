import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { dockerArchive, type ImageParts, type LayerEntry, layerOf } from "./make-image.ts";

const APPLETS = "sh cat ls echo test mkdir touch rm chmod id env sed grep stat wget nc su ln head true pwd cp".split(
  " ",
);

/** A root with a shell and small programs, all in one static file, and no library. */
export const busyboxLayer = (): Buffer =>
  layerOf([
    { path: "bin", type: "Directory", mode: 0o755 },
    { path: "bin/busybox", text: readFileSync(Bun.which("busybox") ?? ""), mode: 0o755 },
    ...APPLETS.map((name): LayerEntry => ({ path: `bin/${name}`, type: "SymbolicLink", link: "busybox" })),
    { path: "etc/passwd", text: "root:x:0:0::/root:/bin/sh\n" },
    { path: "usr/lib/data.txt", text: "of the image\n" },
    { path: "home/other/.keep", text: "" },
  ]);

/** A repository at /testbed, as SWE-bench's images have it. */
const TESTBED: readonly LayerEntry[] = [
  { path: "testbed/add.sh", text: "add() { echo $(($1 - $2)); }\n" },
  { path: "testbed/README", text: "It adds.\n" },
  { path: "testbed/own", type: "SymbolicLink", link: "/usr/lib/data.txt" },
];

export const taskImage = (...more: readonly (readonly LayerEntry[])[]): ImageParts => ({
  layers: [busyboxLayer(), layerOf(TESTBED), ...more.map(layerOf)],
  config: { WorkingDir: "/testbed/", Env: ["PATH=/bin", "TASK=adding"], User: "" },
});

/** Writes a scenario on an image. `change` is over what every one has. */
export function writeTask(directory: string, parts: ImageParts, task: object, script: readonly unknown[] = []): string {
  mkdirSync(join(directory, "images"), { recursive: true });
  writeFileSync(join(directory, "images/task.tar"), dockerArchive(parts));
  const path = join(directory, "onimage.yaml");
  const arms = [
    { id: "works", model: "scripted/a", system_prompt: "A", script: [...script, { say: "Done." }] },
    { id: "rests", model: "scripted/b", system_prompt: "B", script: [{ say: "Nothing." }] },
  ];
  const rubric = { criteria: [{ measure: "turns" }], judge: { model: "builtin/evidence" } };
  const whole = { name: "onimage", task: { prompt: "Make it add.", image: "images/task.tar", ...task }, arms, rubric };
  writeFileSync(path, JSON.stringify(whole));
  chmodSync(directory, 0o755);
  return path;
}
