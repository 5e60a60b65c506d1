import { rmSync } from "node:fs";
import { join } from "node:path";
import type { SeenRequest } from "../fake-provider/exchange.ts";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { playAgent } from "../fake-provider/play-agent.ts";

// Writes scenarios/agents/recorded: the bundled agent's traffic with a made-up provider. To be run when the scenario, the agent
// or the form of a recording changes: bun run record:example

const ROOT = join(import.meta.dir, "../..");

const slug = (
  body: string,
) => `/** The address of a title: lower case, words joined by one hyphen, no hyphen at either end. */
export function slugOf(title: string): string {
  return ${body};
}
`;

const read = { name: "read", input: { path: "src/slug.ts" } };
const write = (body: string) => ({ name: "write", input: { path: "src/slug.ts", content: slug(body) } });
const check = { name: "shell", input: { command: "bun test slug.test.ts >/dev/null 2>&1 && echo passed" } };

const PLAIN = [
  { text: "I look at the function.", calls: [read] },
  { calls: [write('title.toLowerCase().replaceAll(/ +/g, "-")'), check] },
  { text: "Every blank became a hyphen of its own; now several blanks become one." },
];

const WITH_RULE = [
  { text: "I read what the function promises.", calls: [read] },
  { calls: [write('title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-").replaceAll(/^-|-$/g, "")'), check] },
  {
    text: "Every blank became a hyphen of its own, and ends kept theirs; now words are joined by one, with none at the ends.",
  },
];

const playing = (turns: typeof PLAIN) => playAgent([{ knownBy: "makes addresses of titles", turns }]);
const isRuled = ({ system }: SeenRequest) => system.includes("Read what the code around a bug promises");

await using fake = await startFakeProvider({
  reply: (request) => playing(isRuled(request) ? WITH_RULE : PLAIN)(request),
});
rmSync(join(ROOT, "scenarios/agents/recorded"), { recursive: true, force: true });
const { exited } = Bun.spawn(
  [
    ...[process.execPath, "src/main.ts", "run", "scenarios/agents/plain-rules.yaml", "--quiet"],
    ...["--record", "scenarios/agents/recorded"],
  ],
  { cwd: ROOT, env: { ...process.env, EXAMPLE_BASE_URL: `${fake.url}/v1` }, stdio: ["ignore", "inherit", "inherit"] },
);
process.exitCode = await exited;
