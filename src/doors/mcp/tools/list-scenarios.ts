import { Type } from "@sinclair/typebox";
import { excerpt } from "../../../domain/excerpt.ts";
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
    const all = await operation(services, {}, signal);
    const rows = all.filter(({ tags }) => tag === undefined || tags.includes(tag));
    return fullestThatFits(CLIPS, (chars) => listed(rows, chars));
  },
});

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
