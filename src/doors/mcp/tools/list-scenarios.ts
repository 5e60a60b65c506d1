import { existsSync } from "node:fs";
import { Type } from "@sinclair/typebox";
import { excerpt } from "../../../domain/excerpt.ts";
import { Failure } from "../../../domain/failure.ts";
import { ScenarioListing } from "../../../domain/scenario.ts";
import { Count, record } from "../../../domain/schema.ts";
import { listScenarios as operation } from "../../operation/reads.ts";
import { CLIPS, fullestThatFits, takeThatFits } from "../fit.ts";
import { READS, tool } from "../tool.ts";

const ListRequest = record("ListScenariosRequest", {
  tag: Type.Optional(Type.String({ description: "Only those with this tag." })),
});

const ScenarioList = record("ScenarioList", {
  scenarios: Type.Array(ScenarioListing),
  left_out: Count("Scenarios beyond what fits a result; narrow with tag."),
});

/** Half of a result, since text repeats the data in short. */
const LIST_BYTES = 14_000;

export const listScenarios = tool("listScenarios", {
  description:
    "Start here. Lists the scenarios that can be run: name, what each is about, its two arms and their models, and for a broken file its error. " +
    "Free and instant. Next: get_scenario for one of them, or run_scenario with its name.",
  input: ListRequest,
  output: ScenarioList,
  annotations: READS,
  live: false,
  async call(services, { tag }, { signal }) {
    const { directory } = services.catalog;
    const all = await operation(services, {}, signal).catch((error: unknown) => {
      // It is made with the first comparison.
      if (error instanceof Failure && !existsSync(directory)) return [];
      throw error;
    });
    if (all.length === 0) return { structured: { scenarios: [], left_out: 0 }, text: howToBegin(directory) };
    const rows = all.filter(({ tags }) => tag === undefined || tags.includes(tag));
    return fullestThatFits(CLIPS, (chars) => listed(rows, chars));
  },
});

const howToBegin = (directory: string) =>
  `No scenarios in ${directory}. Compare without one: run_scenario with comparison, as ${JSON.stringify(BEGINNING)}; ` +
  "models by arm in place of prompts, a question for the judge beside checks or in their place. It is kept there as a scenario.";

const BEGINNING = {
  name: "tone",
  prompts: { plain: "{{ticket}}", polite: "Answer politely: {{ticket}}" },
  rows: [{ ticket: "Where is my parcel?", wanted: "parcel" }],
  checks: [{ answer_contains: "{{wanted}}", ignore_case: true }],
  model: "<provider>/<model>",
} as const;

function listed(rows: readonly ScenarioListing[], chars: number) {
  const clipped = rows.map((row) => ({ ...row, description: excerpt(row.description, chars) }));
  const scenarios = [...takeThatFits(clipped, LIST_BYTES)];
  const left_out = rows.length - scenarios.length;
  const lines = scenarios.map(rowText);
  const more = left_out > 0 ? [`${left_out} more were left out; narrow with tag.`] : [];
  return {
    structured: { scenarios, left_out },
    text: lines.length === 0 ? "No scenarios." : [...lines, ...more].join("\n"),
  };
}

function rowText({ name, title, description, tags, arms, error }: ScenarioListing): string {
  if (error !== null) return `- ${name}: BROKEN: ${error}`;
  const models = arms.map(({ id, model }) => `${id} (${model})`).join(" vs ");
  const about = description.trim() === "" ? "" : `\n  ${description.trim().replaceAll(/\s+/g, " ")}`;
  return `- ${name}: ${title}${tags.length > 0 ? ` [${tags.join(", ")}]` : ""}; ${models}${about}`;
}
