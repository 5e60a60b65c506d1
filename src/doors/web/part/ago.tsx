import { ago, when } from "../format.ts";
import { moment } from "../live/ticks.ts";

/** How long ago something was; the date and minute show on pointing. */
export const Ago = ({ iso }: { iso: string }) => (
  <time dateTime={iso} title={when(iso)}>
    {ago(iso, moment())}
  </time>
);
