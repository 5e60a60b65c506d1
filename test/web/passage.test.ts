import { expect, test } from "bun:test";
import type { Citation } from "../../src/domain/verdict.ts";
import { EXAMPLES } from "../../src/doors/endpoint/examples.ts";
import { shownArmsOf } from "../../src/doors/web/evidence/shown-arm.ts";
import { passageOf } from "../../src/doors/web/verdict/passage.ts";

const [shown] = shownArmsOf(EXAMPLES.session);

const PATCH = `diff --git a/x.ts b/x.ts
--- a/x.ts
+++ b/x.ts
@@ -10,3 +10,3 @@
 one
-two
+TWO
 three
diff --git a/y.ts b/y.ts
--- a/y.ts
+++ b/y.ts
@@ -1 +1 @@
-TWO
+other
`;

const changed = { ...shown, arm: { ...shown.arm, changes: { ...EXAMPLES.session.arms[0].changes, patch: PATCH } } };
const cite = (kind: Citation["kind"], ref: string, quote = "") => ({ side: "a", kind, ref, quote }) as const;
const told = (citation: Citation) =>
  passageOf(changed as typeof shown, citation).map(({ text, isCited }) => (isCited ? `>${text}` : text));

test("a citation of a diff shows its line among those around it, by number or by quote, of that file alone", () => {
  expect(told(cite("diff", "x.ts:11"))).toEqual([" one", "-two", ">+TWO", " three"]);
  expect(told(cite("diff", "x.ts", "+TWO"))).toEqual([" one", "-two", ">+TWO", " three"]);
  expect(told(cite("diff", "y.ts", "other"))).toEqual(["-TWO", ">+other"]);
  expect(told(cite("diff", "z.ts:1"))).toEqual([]);
});

test("a citation of a step shows what was done; one of nothing shows nothing", () => {
  const [decision] = shown.decisions;
  expect(told(cite("decision", String(decision?.seq)))).toEqual([`>${decision?.summary}`]);
  expect(told(cite("decision", "9999"))).toEqual([]);
  expect(told(cite("answer", "final", "it never said this"))).toEqual([]);
});
