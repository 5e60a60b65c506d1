import { computed, signal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Citation, CriterionScore, Side } from "../../../domain/verdict.ts";
import { address } from "../routes.ts";

/** Where a piece of evidence is. It stands in the address as its fragment, so that a citation can be linked to. */
type Place = Pick<Citation, "side" | "kind" | "ref">;

const KINDS: readonly Citation["kind"][] = ["decision", "diff", "probe", "answer"];

export const fragmentOf = ({ side, kind, ref }: Place) => `#${side}/${kind}/${encodeURIComponent(ref)}`;

function placeOf(fragment: string): Place | null {
  const [, side, kind, ref] = /^#([ab])\/(\w+)\/(.+)$/.exec(fragment) ?? [];
  const known = KINDS.find((candidate) => candidate === kind);
  if ((side !== "a" && side !== "b") || known === undefined || ref === undefined) return null;
  try {
    return { side, kind: known, ref: decodeURIComponent(ref) };
  } catch {
    return null; // no link of ours
  }
}

/** The place that the address names. */
export const cited = computed(() => placeOf(address.value.hash));

/** The criteria of the verdict that is shown, with what each cites. */
export const citing = signal<readonly Pick<CriterionScore, "id" | "evidence">[]>([]);

const isSame = (one: Place, other: Place) =>
  one.side === other.side && one.kind === other.kind && one.ref === other.ref;

/** Criteria that cite the place that the address names. They and all that they cite light up together, in both arms. */
const lit = computed(() => {
  const place = cited.value;
  return place === null ? [] : citing.value.filter(({ evidence }) => evidence.some((one) => isSame(one, place)));
});

export const isCriterionLit = (id: string): boolean => lit.value.some((criterion) => criterion.id === id);

/** Whether a criterion cites this and the place that the address names. */
export const isLit = (place: Place): boolean =>
  lit.value.some(({ evidence }) => evidence.some((one) => isSame(one, place)));

/** The cited place of this side and kind; null when another is cited. */
export function citedRef(side: Side, kind: Citation["kind"]): string | null {
  const place = cited.value;
  return place?.side === side && place.kind === kind ? place.ref : null;
}

/** Scrolls to an element and focuses it whenever the reader follows a link to it. */
export function useCitedTarget<E extends HTMLElement>(isCited: boolean): RefObject<E | null> {
  const target = useRef<E>(null);
  const followed = isCited ? address.value : null;
  useEffect(() => {
    if (followed === null) return;
    const frame = requestAnimationFrame(() => {
      target.current?.scrollIntoView({ block: "center" });
      target.current?.focus({ preventScroll: true });
    });
    return () => cancelAnimationFrame(frame);
  }, [followed]);
  return target;
}
