import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { abeval } from "../abeval.ts";
import { temporaryDirectory } from "../temporary.ts";
import { pageNamed } from "./pages.ts";

test("the shortest file in scenarios/README.md runs as it stands, to a winner", async () => {
  const file = pageNamed("scenarios/README.md").blocks.find(({ language }) => language === "yaml");
  using directory = temporaryDirectory();
  writeFileSync(join(directory.path, "greeting.yaml"), file?.text ?? "");
  const { status, stdout } = await abeval(["run", join(directory.path, "greeting.yaml"), "--quiet"]);
  const { outcome, winner, decided_by } = JSON.parse(stdout);
  expect({ status, outcome, winner, decided_by }).toEqual({
    status: 0,
    outcome: "winner",
    winner: "acts",
    decided_by: "probe",
  });
});
