import type { Signal } from "@preact/signals";
import { useId } from "preact/hooks";
import { isScripted } from "../../../domain/model-name.ts";
import { call, summarizeSessions } from "../api.ts";
import { useLoaded } from "../loaded.ts";
import { type Caller, providersWithoutKey, suggestedModels } from "./model-names.ts";

interface ModelFieldProps {
  readonly label: string;
  readonly model: Signal<string>;
  readonly placeholder: string;
  readonly caller: Caller;
  /** Whether arms or judges are looked for among stored sessions: what worked here can be chosen again. */
  readonly used: "models" | "judges";
  readonly pattern?: string;
  readonly title?: string;
}

/**
 * The name of a model. An empty field leaves the choice to the scenario or the server. Any name can be typed; that a provider
 * has no key here is said, and the server decides.
 */
export function ModelField({ label, model, caller, used, placeholder, ...given }: ModelFieldProps) {
  const [input, list, note] = [useId(), useId(), useId()];
  const summary = useLoaded("names", (signal) => summarizeSessions({ names: "all" }, signal)).value;
  const loaded = useLoaded("providers", (signal) => call("GET /api/providers", {}, signal)).value;
  const known = summary.state === "ready" ? (summary.value.known?.[used] ?? []) : [];
  const providers = loaded.state === "ready" ? loaded.value : undefined;
  // What replays a script belongs to its scenario.
  const names = known.map(({ name }) => name).filter((name) => !isScripted(name));
  const suggested = suggestedModels(used === "judges" ? ["builtin/evidence", ...names] : names, providers, caller);
  // An empty field stands for what it shows.
  const without = providersWithoutKey(model.value.trim() || placeholder, providers, caller);
  return (
    <div class="field noted">
      <label for={input}>{label}</label>
      <small id={note} class="aside" role="status">
        {without.length > 0 && `no key here for ${without.join(", ")}`}
      </small>
      <input
        {...given}
        placeholder={placeholder}
        id={input}
        list={list}
        value={model.value}
        autocomplete="off"
        spellcheck={false}
        aria-describedby={note}
        onInput={(event) => (model.value = event.currentTarget.value)}
      />
      <datalist id={list}>
        {suggested.map(({ name, able }) => (
          <option key={name} value={name} label={able ? undefined : `${name} (no key here)`} />
        ))}
      </datalist>
    </div>
  );
}

/** The judge of a run, or of what is judged again. `usual` judges when none is named. */
export const JudgeField = ({
  usual,
  ...field
}: Pick<ModelFieldProps, "model" | "caller"> & { usual?: string | null }) => (
  <ModelField {...field} label="Judge model" used="judges" placeholder={usual ?? "the server's default judge"} />
);
