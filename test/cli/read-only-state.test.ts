import { expect } from "bun:test";
import { abeval, scenarioFile } from "../abeval.ts";
import { testNeeding } from "../needs.ts";
import { MOUNTS, smallDisk } from "../store/storage-faults.ts";
import { temporaryDirectory } from "../temporary.ts";

testNeeding(MOUNTS)("a state directory on a read-only disk is refused by its name, with what to do", async () => {
  using directory = temporaryDirectory();
  using _disk = smallDisk(directory.path, "64k,ro");
  const place = ["--state-dir", directory.path];
  const refused = {
    ...{ status: 2, stdout: "" },
    stderr: `abeval: ${directory.path}: the directory is read-only: make it writable, or name another with --state-dir\n`,
  };
  expect(await abeval(["run", scenarioFile("suite-csv-line"), ...place])).toEqual(refused);
  expect(await abeval(["serve", "--no-supervise", "--addr", "127.0.0.1:0", ...place])).toEqual(refused);
});
