import type { Changes } from "../../domain/evidence.ts";
import { armAgainstArm, armAgainstReference } from "./between.ts";
import { changesOf, type FileChange } from "./file-change.ts";

type End = "fixture" | "reference" | "a" | "b";

/** One way to look at what two arms left. */
export interface View {
  readonly id: string;
  readonly from: End;
  readonly to: End;
  readonly needs_reference: boolean;
  readonly compare: (a: Changes, b: Changes, reference_patch: string) => FileChange[];
}

const FIRST: View = { id: "a", from: "fixture", to: "a", needs_reference: false, compare: (a) => changesOf(a) };

export const VIEWS: readonly View[] = [
  FIRST,
  { id: "b", from: "fixture", to: "b", needs_reference: false, compare: (_a, b) => changesOf(b) },
  { id: "a-b", from: "a", to: "b", needs_reference: false, compare: (a, b) => armAgainstArm(a, b) },
  {
    id: "fix-a",
    from: "reference",
    to: "a",
    needs_reference: true,
    compare: (a, _b, patch) => armAgainstReference(patch, a),
  },
  {
    id: "fix-b",
    from: "reference",
    to: "b",
    needs_reference: true,
    compare: (_a, b, patch) => armAgainstReference(patch, b),
  },
];

/** Against the fixture, unless the address says otherwise. */
export const viewOf = (id: string | null): View => VIEWS.find((view) => view.id === id) ?? FIRST;
