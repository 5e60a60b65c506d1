import { text } from "node:stream/consumers";
import { answerChildWork, type ChildWorks } from "../../runtime/child-work.ts";

/** Everything that `inChild` may ask for. */
const WORKS: ChildWorks = {
  "check-schemas": async () => (await import("../../comparison/evidence/counted-schema.ts")).checkSchemasHere,
  "fit-answer": async () => (await import("../../comparison/evidence/counted-schema.ts")).fitHere,
  "draw-card": async () => {
    const { cardPng } = await import("../report/card-png.ts");
    return async (svg: string) => Buffer.from(await cardPng(svg)).toString("base64");
  },
  "compose-yaml": async () => (await import("../../comparison/scenario/document/compose-yaml.ts")).composeYaml,
  "find-pattern": async () => (await import("../../runtime/pattern.ts")).findHere,
};

/** Reads the input of one work from stdin and prints what came of it. For abeval itself. */
export async function command([name = ""]: readonly string[]): Promise<number> {
  const answer = await answerChildWork(WORKS, name, await text(process.stdin));
  await new Promise((resolve) => process.stdout.write(answer, resolve));
  return 0;
}
