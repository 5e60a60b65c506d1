import { oneMember } from "../../comparison/scenario/loaded-scenario.ts";
import type { Operation } from "./operation.ts";

export const listScenarios: Operation<"listScenarios"> = async ({ catalog }) => [...(await catalog.list())];

export const getScenario: Operation<"getScenario"> = async ({ catalog }, { name, input }) => {
  const loaded = await catalog.get(name);
  // A request without an input gets the file as it is written, with its templates.
  return (input === undefined ? loaded : await oneMember(loaded, input)).definition;
};
