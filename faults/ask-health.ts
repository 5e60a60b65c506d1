import { setTimeout as sleep } from "node:timers/promises";

/**
 * A process of its own, so that it waits for nobody but the server: asks for health again and again until its input ends.
 * Then it prints the longest wait, how often it asked and in vain, and the most that lay in the directory.
 */
const [url = "", directory = ""] = process.argv.slice(2);
/** Milliseconds between two requests, and between two looks at the directory. */
const ASK_EVERY_MS = 5;
const LOOK_EVERY_MS = 500;

let [over, pause_ms, samples, failed, most_kb] = [false, 0, 0, 0, 0];
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

while (!over) {
  const asked = performance.now();
  const ok = await fetch(`${url}/api/health`).then(
    async (response) => (await response.text()) !== "" && response.ok,
    () => false,
  );
  if (!ok) failed += 1;
  if (samples === 0) console.log("asking");
  pause_ms = Math.max(pause_ms, Math.round(performance.now() - asked));
  samples += 1;
  await sleep(ASK_EVERY_MS);
}
await looking;
console.log(JSON.stringify({ pause_ms, samples, failed, disk_mb: Math.round(most_kb / 1_000) }));
