export interface Clock {
  now(): Date;
  /** Monotonic milliseconds. */
  ticks(): number;
}

export const systemClock: Clock = { now: () => new Date(), ticks: () => performance.now() };

/** `bytes` random bytes as hex. A parameter wherever chance is used, so that tests can fix it. */
export type Entropy = (bytes: number) => string;

export const systemEntropy: Entropy = (bytes) => crypto.getRandomValues(new Uint8Array(bytes)).toHex();
