import { isBuiltin, isScripted, judgesNamed, providerOf } from "../../../domain/model-name.ts";
import type { Provider } from "../../../domain/provider.ts";

/** Who calls a model: what takes runs, which may be other machines; or the server that is asked, which judges again. */
export type Caller = "runs" | "here";

/** A name to choose from. */
interface Suggestion {
  readonly name: string;
  readonly able: boolean;
}

/**
 * What can be called first, those used here before the others; then what was used here and cannot be called. Of a provider with a
 * key and no model that is known its name is there to go on from. Without `providers` all count as able.
 */
export function suggestedModels(
  used: readonly string[],
  providers: readonly Provider[] | undefined,
  caller: Caller,
): readonly Suggestion[] {
  const able = (providers ?? []).filter((one) => one[caller]);
  const known = [...new Set([...used, ...able.flatMap(({ priced }) => priced)])];
  const told = new Set(known.flatMap((name) => judgesNamed(name).map(providerOf)));
  const begun = able
    .filter(({ provider, local }) => !local && !told.has(provider))
    .map(({ provider }) => `${provider}/`);
  const suggestions = [...known, ...begun].map((name) => ({
    name,
    able: providersWithoutKey(name, providers, caller).length === 0,
  }));
  return [...suggestions.filter((one) => one.able), ...suggestions.filter((one) => !one.able)];
}

/** The providers of a model, or of the judges of a panel, that cannot be called; of a name without a provider nothing is said. */
export function providersWithoutKey(
  named: string,
  providers: readonly Provider[] | undefined,
  caller: Caller,
): readonly string[] {
  if (providers === undefined) return [];
  const asked = judgesNamed(named).filter((model) => !isScripted(model) && !isBuiltin(model));
  const unable = asked
    .flatMap((model) => providerOf(model) ?? [])
    .filter((provider) => !providers.some((one) => one.provider === provider && one[caller]));
  return [...new Set(unable)];
}
