import type { Campaign } from "./campaign.ts";
import { copyCases, damageCases } from "./damage.ts";
import { fullDiskCases, readOnlyCases } from "./small-disk.ts";
import { twoServerCases } from "./two-servers.ts";

/** Faults of the state directory itself. */
export const campaign: Campaign = {
  about: "full disk, read-only directory, damaged database, damaged JSON copies, two servers",
  at_once: 2,
  cases: async ({ seed, count }) => [
    ...fullDiskCases(seed, count(40)),
    ...readOnlyCases(count(6)),
    ...damageCases(seed, count(80)),
    ...copyCases(seed, count(60)),
    ...twoServerCases(count(10)),
  ],
};
