import { asCount, asRecord, dig } from "../../domain/lenient.ts";
import { sumKnown, UNKNOWN_USAGE, type Usage } from "../../domain/usage.ts";

/** Anthropic counts cached input apart: the whole input is the sum of the three. */
export function anthropicUsage(usage: unknown): Usage {
  const cached_tokens = asCount(dig(usage, "cache_read_input_tokens") ?? 0);
  const cache_write_tokens = asCount(dig(usage, "cache_creation_input_tokens") ?? 0);
  const tokens_in = sumKnown([asCount(dig(usage, "input_tokens")), cached_tokens, cache_write_tokens]);
  if (tokens_in === null) return { ...UNKNOWN_USAGE, tokens_out: asCount(dig(usage, "output_tokens")) };
  const hour = asCount(dig(usage, "cache_creation", "ephemeral_1h_input_tokens")) ?? 0;
  return {
    ...{ tokens_in, tokens_out: asCount(dig(usage, "output_tokens")), cached_tokens, cache_write_tokens },
    ...(hour > 0 && { cache_write_1h_tokens: hour }),
  };
}

/** Anthropic counts up while it streams. Some gateways send zeros in the place of what they said before. */
export function laterUsage(before: unknown, later: unknown): Readonly<Record<string, unknown>> {
  const merged = new Map(fieldsOf(before));
  for (const [field, value] of fieldsOf(later))
    if (!((asCount(value) ?? 0) < (asCount(merged.get(field)) ?? 0))) merged.set(field, value);
  return Object.fromEntries(merged);
}

/** Providers have ten, and every event that counts merges all of them. */
const fieldsOf = (usage: unknown) => Object.entries(asRecord(usage) ?? {}).slice(0, MAX_FIELDS);
const MAX_FIELDS = 100;

/** Every prompt has tokens. A server that reports none did not count. */
export function chatUsage(usage: unknown): Usage {
  const tokens_in = asCount(dig(usage, "prompt_tokens")) || null;
  const cached = asCount(dig(usage, "prompt_tokens_details", "cached_tokens") ?? dig(usage, "prompt_cache_hit_tokens"));
  return counted({ tokens_in, tokens_out: asCount(dig(usage, "completion_tokens")), cached });
}

export const responsesUsage = (usage: unknown): Usage =>
  counted({
    tokens_in: asCount(dig(usage, "input_tokens")) || null,
    tokens_out: asCount(dig(usage, "output_tokens")),
    cached: asCount(dig(usage, "input_tokens_details", "cached_tokens")),
  });

/** Gemini counts apart what its own tools put into the prompt, and what the model thought. */
export function geminiUsage(usage: unknown): Usage {
  const count = (field: string) => asCount(dig(usage, field) ?? 0);
  const tokens_in = sumKnown([asCount(dig(usage, "promptTokenCount")), count("toolUsePromptTokenCount")]);
  const tokens_out = sumKnown([count("candidatesTokenCount"), count("thoughtsTokenCount")]);
  return counted({
    tokens_in,
    tokens_out: tokens_in === null ? null : tokens_out,
    cached: count("cachedContentTokenCount"),
  });
}

interface Counts {
  readonly tokens_in: number | null;
  readonly tokens_out: number | null;
  readonly cached: number | null;
}

/** Drops a count of cached tokens that exceeds all tokens. */
const counted = ({ tokens_in, tokens_out, cached }: Counts): Usage => ({
  tokens_in,
  tokens_out,
  cached_tokens: tokens_in !== null && cached !== null && cached <= tokens_in ? cached : null,
});

/** The usage for readers who need all of it: when one side is missing, both are unknown. */
export const wholeUsage = (usage: Usage): Usage =>
  usage.tokens_in === null || usage.tokens_out === null ? UNKNOWN_USAGE : usage;
