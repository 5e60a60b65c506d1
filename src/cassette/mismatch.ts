import { Failure } from "../domain/failure.ts";
import type { Asked } from "./asked.ts";
import { nameOf } from "./cast.ts";
import type { Exchange } from "./lines.ts";
import type { Recording } from "./read-tape.ts";

export interface Miss {
  readonly asked: Asked;
  /** Number of the request in this replay, from 1. */
  readonly n: number;
  readonly recording: Recording;
  /** Not played yet. */
  readonly left: readonly Exchange[];
  readonly version: string;
}

/** Names the place in which a request differs from the recording that it is most like. */
export function mismatch(miss: Miss): Failure {
  const { n, recording, version } = miss;
  const { abeval, of } = recording.header;
  const other = abeval === version ? "" : `\n  recorded by abeval ${abeval}, and this is ${version}`;
  return new Failure(
    "replay_mismatch",
    `request ${n} of ${nameOf(of)} ${differing(miss)}${other}\n  ${recording.name}: ${ADVICE}`,
    { details: { tape: of, request: n } },
  );
}

const ADVICE = "record it again, or name what varies by chance in `replay.ignore` of the scenario";

function differing({ asked, recording, left }: Miss): string {
  if (recording.exchanges.length === 0) return "is not recorded: the recording holds no request";
  if (recording.exchanges.some(({ key }) => key === asked.key)) return "is asked more often than it was recorded";
  const nearest = nearestOf(asked, left) ?? nearestOf(asked, recording.exchanges);
  if (nearest === undefined) return `is not recorded: nothing was asked of ${asked.method} ${asked.path}`;
  return `differs from the recording at ${difference(asked, nearest, recording)}`;
}

/** The first of those that share most parts with it. */
function nearestOf(asked: Asked, exchanges: readonly Exchange[]): Exchange | undefined {
  const own = new Set(asked.parts.map((part) => part.join(" ")));
  const shared = ({ parts }: Exchange) => parts.filter((part) => own.has(part.join(" "))).length;
  const alike = exchanges.filter(({ method, path }) => method === asked.method && path === asked.path);
  const [first, ...others] = alike.map((exchange) => ({ exchange, count: shared(exchange) }));
  return others.reduce((best, one) => (best && one.count > best.count ? one : best), first)?.exchange;
}

function difference(asked: Asked, { parts }: Exchange, { texts }: Recording): string {
  const recorded = new Map(parts);
  const own = new Map(asked.parts);
  const place = [...new Set([...own.keys(), ...recorded.keys()])].find((one) => own.get(one) !== recorded.get(one));
  if (place === undefined) return "the order of its parts";
  const before = texts.get(recorded.get(place) ?? "");
  const now = asked.texts.get(own.get(place) ?? "");
  if (before === undefined) return `${place}, which was not recorded:\n  asked    ${cut(now ?? "", 0)}`;
  if (now === undefined) return `${place}, which was not asked:\n  recorded ${cut(before, 0)}`;
  const at = firstDifference(before, now);
  return `${place}, character ${at + 1}:\n  recorded ${cut(before, at)}\n  asked    ${cut(now, at)}`;
}

function firstDifference(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}

/** Characters that are shown before and after the place. */
const BEFORE = 40;
const AFTER = 60;

function cut(text: string, at: number): string {
  const [start, end] = [Math.max(0, at - BEFORE), Math.min(text.length, at + AFTER)];
  return `${start > 0 ? "…" : ""}${text.slice(start, end).toWellFormed()}${end < text.length ? "…" : ""}`;
}
