import type { ComponentChildren } from "preact";
import { connected } from "../api.ts";
import type { SentOnce, Unanswered } from "../send-once.ts";
import { Notice } from "./notice.tsx";
import { Refused } from "./show.tsx";

interface SendingNoticeProps<Effect> {
  readonly of: SentOnce<Effect>;
  /** Completes "… before the server went away". */
  readonly happened: string;
  /** What may be lost with the server although it knows nothing of it. */
  readonly lost?: string;
  /** Where to see what happened, and what sending again would do. */
  readonly children: (effect: Effect) => ComponentChildren;
}

/** Why a form was not carried out, or what is known of it while nobody answers. What was typed stays in the form. */
export function SendingNotice<Effect>({ of: { failure, unanswered }, ...told }: SendingNoticeProps<Effect>) {
  return (
    <div role="status">
      {failure.value && <Refused error={failure.value} />}
      {unanswered.value && <Known known={unanswered.value} {...told} />}
    </div>
  );
}

interface KnownProps<Effect> extends Omit<SendingNoticeProps<Effect>, "of"> {
  readonly known: Unanswered<Effect>;
}

function Known<Effect>({ known, happened, lost, children }: KnownProps<Effect>) {
  switch (known.state) {
    case "not_sent":
      return (
        <Notice tone="warn" title="The server was not asked">
          <p>
            It did not answer. What you typed is here; send it {connected.value ? "again" : "when the server is back"}.
          </p>
        </Notice>
      );
    case "unknown":
      return (
        <Notice tone="warn" title="The server went away while it was asked">
          <p>
            Whether it did it is not known yet. This page looks when the server is back, and sends nothing again by
            itself.
          </p>
        </Notice>
      );
    case "not_done":
      return (
        <Notice tone={lost ? "warn" : "note"} title={lost ? "It was not done, or is lost" : "It was not done"}>
          <p>The server is back, and knows nothing of it. {lost} What you typed is here; send it again.</p>
        </Notice>
      );
    case "done":
      return (
        <Notice tone="note" title={`${happened} before the server went away`}>
          <p>{children(known.effect)}</p>
        </Notice>
      );
  }
}
