import type { Endpoint } from "./endpoint.ts";

/** The methods that a path knows; empty when there is nothing at it. */
export function allowedMethods(endpoints: readonly Endpoint[], pathname: string): readonly string[] {
  const methods = endpoints.filter(({ path }) => matches(path, pathname)).map(({ method }) => method);
  if (methods.length === 0) return [];
  return [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"];
}

function matches(path: string, pathname: string): boolean {
  const steps = path.split("/");
  const given = pathname.replace(/\/$/, "").split("/");
  return steps.length === given.length && steps.every((step, i) => step.startsWith(":") || step === given[i]);
}
