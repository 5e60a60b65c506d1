import { signal } from "@preact/signals";

/** Whether the server answered last time. */
export const connected = signal(true);

/** Rises each time the server is back; what was being shown is then read again. */
export const revision = signal(0);

/** Between two tries, milliseconds: soon enough to feel prompt, slow enough for a restart. */
const RETRY_MS = 1_000;

/** Asks for a sign of life until there is one. */
export function lostConnection(): void {
  if (!connected.peek()) return;
  connected.value = false;
  setTimeout(tryAgain, RETRY_MS);
}

async function tryAgain(): Promise<void> {
  try {
    const response = await fetch("/api/health");
    if (!response.ok) throw new Error(`status ${response.status}`);
    connected.value = true;
    revision.value += 1;
  } catch {
    setTimeout(tryAgain, RETRY_MS);
  }
}
