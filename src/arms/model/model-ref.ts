import { Failure } from "../../domain/failure.ts";
import { judgesNamed } from "../../domain/model-name.ts";
import { panelProblem } from "../../domain/panel.ts";
import { MODEL_NAME_CHARS } from "../../domain/schema.ts";

/** The strongest generally available model in the pinned SDK's own model list. */
export const DEFAULT_JUDGE_MODEL = "anthropic/claude-fable-5-2";

/** The judge that asks no model. */
export const BUILTIN_JUDGE = "builtin/evidence";

/** Providers that stand for no server: nothing is called, nothing is paid. */
export const OFFLINE_PROVIDERS: readonly string[] = ["scripted", "builtin", "imported", "endpoint", "program"];

interface ModelName {
  /** Lower case: provider names are not case-sensitive. */
  readonly provider: string;
  readonly model: string;
}

/** Splits at the first slash. @throws Failure `invalid_request` when there is no provider or no model, or it is too long. */
export function splitModelRef(ref: string): ModelName {
  if (ref.length > MODEL_NAME_CHARS) {
    const start = JSON.stringify(ref.slice(0, 60).toWellFormed());
    throw new Failure(
      "invalid_request",
      `model ${start}...: ${ref.length} characters, a model's name has ${MODEL_NAME_CHARS} at most`,
    );
  }
  const slash = ref.indexOf("/");
  if (slash < 1 || slash === ref.length - 1) {
    throw new Failure("invalid_request", `model "${ref}": expected <provider>/<model>, for example anthropic/<model>`);
  }
  return { provider: ref.slice(0, slash).toLowerCase(), model: ref.slice(slash + 1) };
}

/**
 * A judge's full name: `<provider>/<model>`, or `panel(...)` when several are named. A model without a slash is taken from
 * the default judge's provider.
 * @throws Failure `invalid_request` when those that are named are no panel.
 */
export function judgeModelRef(name: string): string {
  const named = judgesNamed(name);
  if (named.length === 1) return singleJudge(name);
  const judges = named.map(singleJudge);
  const problem = panelProblem(judges);
  if (problem !== undefined) throw new Failure("invalid_request", `judge: ${problem}`);
  return panelName(judges);
}

/** What a verdict calls a panel. The order in which its judges are given means nothing. */
const panelName = (judges: readonly string[]): string => `panel(${judges.toSorted().join("+")})`;

function singleJudge(model: string): string {
  if (model.toLowerCase() === BUILTIN_JUDGE) return BUILTIN_JUDGE;
  return model.includes("/") ? model : `${splitModelRef(DEFAULT_JUDGE_MODEL).provider}/${model}`;
}

/** The maker of a model by the start of the model's name. Many providers sell the same model. */
const MAKER_BY_NAME: readonly (readonly [RegExp, string])[] = [
  [/^claude/, "anthropic"],
  [/^(gpt|chatgpt|o\d|codex)/, "openai"],
  [/^(gemini|gemma)/, "google"],
  [/^(mi[sx]tral|codestral|ministral|devstral|magistral|pixtral)/, "mistral"],
  [/^deepseek/, "deepseek"],
  [/^grok/, "xai"],
  [/^(meta-)?llama/, "meta"],
  [/^(qwen|qwq)/, "qwen"],
  [/^(kimi|moonshot)/, "moonshot"],
  [/^(glm|chatglm)/, "zhipu"],
];

/** Other names of makers, as gateways write them. */
const MAKER_ALIASES: Readonly<Record<string, string>> = {
  "meta-llama": "meta",
  mistralai: "mistral",
  "x-ai": "xai",
  moonshotai: "moonshot",
  "z-ai": "zhipu",
  "google-ai-studio": "google",
};

const MAKERS: ReadonlySet<string> = new Set(MAKER_BY_NAME.map(([, maker]) => maker));

/**
 * The maker of a model: a judge may favour an arm of its own family. `anthropic/claude-x`, `openrouter/anthropic/claude-x` and
 * `bedrock/us.anthropic.claude-x` are one family. A model whose maker is unknown is a family of its own. Null for `scripted` and
 * `builtin`.
 * @param served what the provider called it: behind a gateway only this may tell the maker
 */
export function modelFamily(ref: string, served: string | null = null): string | null {
  // A stored verdict may be of a name that would be refused today.
  const [provider = "", ...path] = ref.toLowerCase().split("/");
  const model = path.join("/");
  if (OFFLINE_PROVIDERS.includes(provider) && provider !== "imported") return null;
  if (provider === "imported" && model === "unknown") return null;
  const names = [...(served ?? "").split(", "), ref];
  return names.map(makerOf).find((maker) => maker !== undefined) ?? path.at(-1) ?? provider;
}

function makerOf(name: string): string | undefined {
  const parts = name.toLowerCase().split("/");
  const last = parts.pop() ?? "";
  const vendors = /^(?:[a-z-]+\.)+/.exec(last)?.[0] ?? "";
  const byName = MAKER_BY_NAME.find(([pattern]) => pattern.test(last.slice(vendors.length)))?.[1];
  const named = [...parts, ...vendors.split(".")].reverse().map((part) => MAKER_ALIASES[part] ?? part);
  return byName ?? named.find((part) => MAKERS.has(part));
}
