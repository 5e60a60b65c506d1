import { Type } from "@sinclair/typebox";
import { oneMember } from "../../comparison/scenario/loaded-scenario.ts";
import { InputId, Scenario, ScenarioListing } from "../../domain/scenario.ts";
import { record, Slug } from "../../domain/schema.ts";
import { operation } from "./operation.ts";

export const listScenarios = operation({
  name: "list_scenarios",
  title: "List scenarios",
  summary: "The scenarios that can be run, with their arms. A file that cannot be read is listed with its error.",
  input: record("ListScenariosRequest", {
    tag: Type.Optional(Type.String({ description: "Only those with this tag." })),
  }),
  output: Type.Array(ScenarioListing),
  async run({ catalog }, { tag }) {
    const rows = await catalog.list();
    return rows.filter((row) => tag === undefined || row.tags.includes(tag));
  },
});

export const getScenario = operation({
  name: "get_scenario",
  title: "Get a scenario",
  summary: "The full definition of a scenario as it would be run: arms, rubric, policies, task.",
  input: record("GetScenarioRequest", { name: Slug(), input: Type.Optional(InputId) }),
  output: Scenario,
  async run({ catalog }, { name, input }) {
    const loaded = await catalog.get(name);
    // A request without an input gets the file as it is written, with its templates.
    return (input === undefined ? loaded : await oneMember(loaded, input)).definition;
  },
});
