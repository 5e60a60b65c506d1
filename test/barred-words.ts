/** What no generated sentence may claim of an arm. */
export const BARRED = /\b(?:better|superior|proves?|significant(?:ly)?|outperforms?|equal|as good as)\b/i;
