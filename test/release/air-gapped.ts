/**
 * Runs inside a network namespace that has nothing but loopback: a provider, and the program with `argv[2]` as its path.
 * Prints what happened as JSON. The environment of the program is the provider's address.
 */
import { networkInterfaces } from "node:os";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { playScript } from "../fake-provider/play-script.ts";
import { bundled } from "../harness.ts";
import { wellFormed } from "../judge/mock-judge.ts";

const [, , program = "", ...args] = process.argv;
const { definition } = await bundled("pager-last-page");

await using provider = await startFakeProvider({
  reply: playScript({
    scriptOf: ({ system }) => definition.arms.find((arm) => arm.system_prompt === system)?.script ?? undefined,
    judge: (request) =>
      // The judge reads system and messages, which both kinds of request have.
      wellFormed({ ...request, params: { max_output_tokens: 1 }, timeout_ms: 1 } as never, ({ evidence }) => ({
        cause: evidence.includes("Math.ceil(total / size)") ? 4 : 1,
      })),
  }),
});

const child = Bun.spawn([program, ...args], {
  env: { GATEWAY_BASE_URL: `${provider.url}/v1` },
  stdin: "ignore",
  stdout: "pipe",
  stderr: "pipe",
});
const [stdout, stderr, status] = await Promise.all([
  new Response(child.stdout).text(),
  new Response(child.stderr).text(),
  child.exited,
]);
console.log(
  JSON.stringify({
    interfaces: Object.keys(networkInterfaces()),
    requests: provider.requests.length,
    status,
    stdout,
    stderr,
  }),
);
