import { signal } from "@preact/signals";

/** Whether every decision on the page is open; a reader then opens and closes single ones. */
export const everyDecisionOpen = signal(false);
