import { plainText } from "../../../domain/plain-text.ts";

export interface Suite {
  readonly name: string;
  /** Elements `testcase`. */
  readonly cases: readonly string[];
  /** When it began, ISO 8601. Null = unknown. */
  readonly timestamp: string | null;
  /** Milliseconds; null = unknown. */
  readonly wall_ms: number | null;
}

/** JUnit XML as CI servers read it. */
export const junitXml = (suites: readonly Suite[]): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.map(suiteElement).join("")}</testsuites>\n`;

function suiteElement({ name, cases, timestamp, wall_ms }: Suite): string {
  const count = (tag: string) => cases.filter((text) => text.includes(`<${tag} `)).length;
  const suite = attributes({
    name,
    tests: cases.length,
    failures: count("failure"),
    errors: count("error"),
    ...(timestamp !== null && { timestamp }),
    time: seconds(wall_ms),
  });
  return `  <testsuite ${suite}>\n${cases.map((text) => `    ${text}\n`).join("")}  </testsuite>\n`;
}

export const seconds = (ms: number | null) => ((ms ?? 0) / 1000).toFixed(3);

export const attributes = (values: Readonly<Record<string, string | number>>) =>
  Object.entries(values)
    .map(([name, value]) => `${name}="${xmlText(String(value))}"`)
    .join(" ");

/** For text and attributes; what XML 1.0 cannot hold, or would steer a terminal, is left out. */
export const xmlText = (text: string) =>
  plainText(text)
    .replace(/[\ufffe\uffff]/g, "")
    .replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
