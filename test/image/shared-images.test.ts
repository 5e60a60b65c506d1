import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../temporary.ts";
import { asOrdinaryUser } from "../workspace/ordinary-user.ts";
import { idOf, layerOf, writeLayout } from "./make-image.ts";

const MODULE = JSON.stringify(join(import.meta.dir, "../../src/comparison/planning/task-image.ts"));
const PARTS = { layers: [layerOf([{ path: "file", text: "x" }])] };

test("in a directory of images that users share, what one may not read hides no other image", async () => {
  using place = temporaryDirectory();
  const images = join(place.path, "images");
  writeLayout(join(images, "mine"), PARTS, "plain");
  mkdirSync(join(images, "closed"));
  writeFileSync(join(images, "closed.tar"), "theirs");
  for (const name of ["closed", "closed.tar"]) chmodSync(join(images, name), 0o000);
  chmodSync(place.path, 0o755);
  const program = `
    import { imagesIn } from ${MODULE};
    console.log(JSON.stringify((await imagesIn(${JSON.stringify(images)})).map(({ file, digest }) => [file, digest])));`;
  const found = await asOrdinaryUser(program);
  chmodSync(join(images, "closed"), 0o700);
  expect(found).toEqual([["mine", idOf(PARTS)]]);
});
