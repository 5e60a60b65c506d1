import { signal } from "@preact/signals";

/** Whether the server answered the last request. */
export const connected = signal(true);

/** Rises each time the server is back. What a page shows is then read again. */
export const revision = signal(0);

/** Milliseconds between two tries: prompt for a reader, and no load for a server that restarts. */
const RETRY_MS = 1_000;

/** Asks the server every second until it answers. */
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
