import { setTimeout as sleep } from "node:timers/promises";

/**
 * A process of its own, so that it waits for nobody but the server: asks for health again and again until its input ends.
 * Then it prints the longest wait, how often it asked and in vain, how long a server waited that does nothing else, and the most
 * that lay in the directory.
 */
const [url = "", directory = ""] = process.argv.slice(2);
/** Milliseconds between two requests, and between two looks at the directory. */
const ASK_EVERY_MS = 5;
const LOOK_EVERY_MS = 500;

let [over, failed, most_kb] = [false, 0, 0];
process.stdin.resume().once("end", () => {
  over = true;
});

/** Files come and go meanwhile: what du complains of is no matter. */
async function look(): Promise<void> {
  const du = Bun.spawn(["du", "-sk", directory], { stderr: "ignore" });
  most_kb = Math.max(most_kb, Number.parseInt(await new Response(du.stdout).text(), 10) || 0);
}

const looking = (async () => {
  while (!over) {
    await look();
    await sleep(LOOK_EVERY_MS);
  }
  await look();
})();

/** What a busy machine does to any server. */
const BARE = `const { url } = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("ok") });
console.log(url.href);
process.stdin.resume().once("end", () => process.exit());`;
const bare = Bun.spawn([process.execPath, "-e", BARE], { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
const { value: bareUrl = "" } = await bare.stdout.pipeThrough(new TextDecoderStream()).getReader().read();

/** Asks until it is over. */
async function ask(address: string) {
  let [longest, asked] = [0, 0];
  while (!over) {
    const began = performance.now();
    const ok = await fetch(address).then(
      async (response) => (await response.text()) !== "" && response.ok,
      () => false,
    );
    if (!ok) failed += 1;
    longest = Math.max(longest, Math.round(performance.now() - began));
    asked += 1;
    await sleep(ASK_EVERY_MS);
  }
  return { longest, asked };
}

await fetch(`${url}/api/health`).catch(() => undefined);
console.log("asking");
const [health, yardstick] = await Promise.all([ask(`${url}/api/health`), ask(bareUrl.trim())]);
bare.stdin.end();
await looking;
const figures = { pause_ms: health.longest, samples: health.asked, bare_ms: yardstick.longest };
console.log(JSON.stringify({ ...figures, failed, disk_mb: Math.round(most_kb / 1_000) }));
