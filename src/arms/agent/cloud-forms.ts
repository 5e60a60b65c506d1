/** Why an address is not served: some clouds have forms of their own for the models of others. */
export function strayWords(address: string): string {
  const [cloud] = CLOUDS.find(([, form]) => form.test(address)) ?? [];
  if (cloud === undefined) return `the agent asked for ${address}, which no provider has`;
  return `the agent asked for ${address}: abeval does not serve ${cloud}'s form of requests. ${INSTEAD}`;
}

/** What to say of an agent that asked nobody, when its variables turn such a form on; null: they do not. */
export function cloudHint(env: Readonly<Record<string, string>>): string | null {
  const name = Object.keys(env).find((one) => SWITCHES.test(one));
  return name === undefined
    ? null
    : `Its variable ${name} has it ask a cloud whose form abeval does not serve. ${INSTEAD}`;
}

const CLOUDS: readonly (readonly [cloud: string, form: RegExp])[] = [
  ["Amazon Bedrock", /\/model\/[^/]+\/(?:invoke|converse)/],
  ["Google Vertex AI", /\/(?:projects\/[^/]+\/locations|publishers\/[^/]+\/models)\//],
  ["Azure OpenAI", /\/openai\/deployments\//],
];

const SWITCHES = /BEDROCK|VERTEX|AZURE|FOUNDRY/i;

const INSTEAD =
  "Let the agent ask its provider as usual, and lead abeval to an address of the cloud, or a gateway, that speaks that provider's own form: ANTHROPIC_BASE_URL or OPENAI_BASE_URL with the key that it wants. docs/clouds.md has the settings";
