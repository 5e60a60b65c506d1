import { expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { abeval } from "../abeval.ts";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { ROOT_USER, SANDBOX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { temporaryDirectory } from "../temporary.ts";

const KEY = "sk-canary-5f2d8c41a07e93b6";
/** Of a gateway that is led by headers. */
const ROUTE = "route-canary-90be17d35c";
/** Not a secret to us: shows that the searches below would have found one. */
const PLAIN = "plain-canary-71c2e0";

/** What a curious arm tries, and a file that carries what it found into the evidence. */
const SNOOP = [
  "env; cat /proc/self/environ /proc/1/environ /proc/$PPID/environ 2>/dev/null; ps aux 2>/dev/null",
  "for p in /proc/[0-9]*; do cat $p/environ 2>/dev/null; done | tee found.txt",
  "cat $HOME/* ~/.bash_history 2>/dev/null; ls -la / /root /home 2>/dev/null; exit 0",
  // What a full machine prints of the above is cut; this finds what it looks for wherever it stands.
  "cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep -a '^PLAIN_\\|_API_KEY=' | sort -u | head -c 2000; exit 0",
];

const SCENARIO = `name: snoop
task: {prompt: Look around.}
arms:
  - {id: one, model: openai/m, system_prompt: One.}
  - {id: two, model: gateway/m, system_prompt: Two.}
rubric: {criteria: [{question: Was it kind?}], judge: {model: openai/judge}}
`;

const forms = (secret: string) => [
  secret,
  Buffer.from(secret).toString("base64").replace(/=+$/, ""),
  Buffer.from(secret).toString("hex"),
  encodeURIComponent(secret),
];

function everyByte(directory: string): string {
  const files = readdirSync(directory, { recursive: true, encoding: "utf8" }).map((name) => join(directory, name));
  return files
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, "latin1"))
    .join("\n");
}

testNeeding(SANDBOX)("no key is in any byte that a sandboxed run leaves or prints", () => findNoKey("auto"));

test("no key is in any byte that a run without a sandbox leaves or prints", () => findNoKey("none"));

async function findNoKey(sandbox: "auto" | "none"): Promise<void> {
  await using provider = await startFakeProvider({
    reply: ({ messages, force_tool, headers }) => {
      if (force_tool !== undefined) return { status: 400, echo: true };
      const turn = messages.filter(({ role }) => role === "assistant").length;
      const command = SNOOP[turn];
      // A provider that quotes the key in a good reply: the arm would carry it into its answer.
      const text = `I was called with ${headers["authorization"]} and ${headers["x-route"]}.`;
      return { text, calls: command === undefined ? [] : [{ name: "run_command", input: { command } }] };
    },
  });
  using directory = temporaryDirectory();
  const file = join(directory.path, "snoop.yaml");
  writeFileSync(file, SCENARIO);
  const env = { ...provider.environment, OPENAI_API_KEY: KEY, GATEWAY_API_KEY: KEY, PLAIN_VARIABLE: PLAIN };
  const routed = { ...env, GATEWAY_HEADERS: `x-route: ${ROUTE}`, OPENAI_HEADERS: JSON.stringify({ "X-Route": ROUTE }) };
  const args = ["run", file, "--state-dir", join(directory.path, "state"), "--out", join(directory.path, "out.json")];
  const { status, stdout, stderr } = await abeval([...args, "--sandbox", sandbox], { env: routed });
  expect(status).toBe(1);
  expect(stderr).toContain("judging");
  const bytes = everyByte(directory.path) + stdout + stderr;
  expect(bytes).toContain("I was called with");
  expect(provider.requests.some(({ force_tool }) => force_tool !== undefined)).toBe(true);
  for (const { headers } of provider.requests) expect(headers["x-route"]).toBe(ROUTE);
  for (const form of [KEY, ROUTE].flatMap(forms)) expect(bytes).not.toContain(form);
  if (sandbox === "auto") expect(bytes).not.toContain(PLAIN);
}

testNeeding(ROOT_USER)(
  "the search would have found a key: root's commands without a sandbox see an ordinary variable",
  async () => {
    await using provider = await startFakeProvider({
      reply: ({ messages }) => {
        const command = SNOOP[messages.filter(({ role }) => role === "assistant").length];
        return { text: "", calls: command === undefined ? [] : [{ name: "run_command", input: { command } }] };
      },
    });
    using directory = temporaryDirectory();
    const file = join(directory.path, "snoop.yaml");
    writeFileSync(file, SCENARIO.replace("openai/judge", "builtin/evidence"));
    const env = { ...provider.environment, PLAIN_VARIABLE: PLAIN };
    const args = ["run", file, "--sandbox", "none", "--state-dir", join(directory.path, "state")];
    await abeval(args, { env });
    expect(everyByte(join(directory.path, "state", "sessions"))).toContain(PLAIN);
  },
);
