import { RE2JS } from "re2js";
import { regexOf } from "../../domain/regex-of.ts";
import type { ReplayConfig } from "../../domain/scenario.ts";
import type { ScenarioFile } from "../authored/scenario-file.ts";
import type { Problems } from "../problems.ts";
import { checkPattern } from "./pattern.ts";

/** Literal text becomes a pattern that matches it. Meaningless after a problem. */
export function resolveReplay(problems: Problems, { ignore = [] }: NonNullable<ScenarioFile["replay"]>): ReplayConfig {
  for (const [index, text] of ignore.entries()) checkPattern(problems, ["replay", "ignore", index], text);
  return { ignore: ignore.map((text) => regexOf(text) ?? RE2JS.quote(text)) };
}
