import { Notice } from "../part/notice.tsx";
import { Page } from "../part/page.tsx";
import { blind } from "../preferences.ts";

/** Stands in place of a page on series while the reader is blind. */
export function HiddenSeries() {
  return (
    <Page title="Series">
      <Notice tone="note" title="Hidden in blind mode">
        <p>A series says who won in every trial.</p>
        <button type="button" onClick={() => (blind.value = false)}>
          Leave blind mode
        </button>
      </Notice>
    </Page>
  );
}
