/** The rule of a block that took away what a provider would have done for an agent. */
export const NETWORK_RULE = "network: none";
