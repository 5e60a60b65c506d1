import { expect, test } from "bun:test";
import { scoreAgainstReference } from "../../src/comparison/evidence/reference-fix.ts";
import type { Changes, CheckResult, ProbeResult } from "../../src/domain/evidence.ts";

const DIGEST = "0".repeat(64);

const patchOf = (path: string, removed: string, added: string) =>
  `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1,1 +1,1 @@\n-${removed}\n+${added}\n`;

const REFERENCE = { patch: patchOf("src/pager.ts", "return n - 1;", "return n;"), digest: DIGEST };

function changes(...files: (readonly [path: string, removed: string, added: string])[]): Changes {
  return {
    files: files.map(([path]) => ({
      path,
      status: "modified",
      added: 1,
      removed: 1,
      binary: false,
      before: null,
      after: null,
    })),
    patch: files.map(([path, removed, added]) => patchOf(path, removed, added)).join(""),
    digest: DIGEST,
    truncated: false,
  };
}

function probe(...results: (readonly [before: "pass" | "fail" | null, status: CheckResult["status"]])[]): ProbeResult {
  const checks = results.map(([before, status], index) => ({
    id: `check-${index + 1}`,
    status,
    required: true,
    weight: 1,
    before,
    exit_code: 0,
    reason: null,
    output: "",
    duration_ms: 1,
  }));
  const passed = checks.filter((check) => check.status === "pass").length;
  return { score: passed / checks.length, passed, total: checks.length, checks, restored: [] };
}

test("the reference itself scores 1 and is an exact match, also with other white space", async () => {
  const own = changes(["src/pager.ts", "return  n - 1;", "  return n;"]);
  const score = await scoreAgainstReference(REFERENCE, own, probe(["fail", "pass"], ["pass", "pass"]));
  expect(score).toMatchObject({ score: 1, resolution: "full", exact_match: true, similarity: 1, size_ratio: 1 });
});

test("a different correct fix keeps its full resolution", async () => {
  const own = changes(["src/pager.ts", "const last = 1;", "const last = 0;"]);
  const score = await scoreAgainstReference(REFERENCE, own, probe(["fail", "pass"], ["pass", "pass"]));
  expect(score.resolution).toBe("full");
  expect(score.exact_match).toBe(false);
  expect(score.score).toBeGreaterThan(0.9);
});

test.each([
  ["full", probe(["fail", "pass"], ["pass", "pass"])],
  ["partial", probe(["fail", "pass"], ["fail", "fail"], ["pass", "pass"])],
  ["none", probe(["fail", "fail"], ["pass", "pass"])],
  ["none", probe(["fail", "pass"], ["pass", "fail"])],
  [null, probe(["pass", "pass"])],
  [null, null],
] as const)("resolution is %p by the SWE-bench rule", async (resolution, result) => {
  const own = changes(["src/pager.ts", "return n - 1;", "return n;"]);
  expect((await scoreAgainstReference(REFERENCE, own, result)).resolution).toBe(resolution);
});

test("without a probe the other parts are renormalised", async () => {
  const own = changes(["src/pager.ts", "return n - 1;", "return n;"]);
  expect((await scoreAgainstReference(REFERENCE, own, null)).score).toBeCloseTo(1);
});

test("missing files and extra files both lower the score", async () => {
  const own = changes(["src/pager.ts", "return n - 1;", "return n;"], ["README.md", "a", "b"]);
  expect(await scoreAgainstReference(REFERENCE, own, null)).toMatchObject({
    files_expected: ["src/pager.ts"],
    files_touched: ["README.md", "src/pager.ts"],
    missing_files: [],
    extra_files: ["README.md"],
    file_precision: 0.5,
    file_recall: 1,
  });
});

test("a binary file beside the reference's own lines is no exact match", async () => {
  const own = changes(["src/pager.ts", "return n - 1;", "return n;"]);
  const [file] = own.files;
  const binary = { ...(file ?? expect.unreachable()), path: "logo.png", status: "added", binary: true } as const;
  const patch = `${own.patch}Binary file logo.png added: 12 bytes, sha256 ${DIGEST}\n`;
  const score = await scoreAgainstReference(REFERENCE, { ...own, files: [...own.files, binary], patch }, null);
  expect(score).toMatchObject({ exact_match: false, extra_files: ["logo.png"] });
});

test("no change at all has no recall and no similarity", async () => {
  const score = await scoreAgainstReference(REFERENCE, changes(), probe(["fail", "fail"]));
  expect(score).toMatchObject({ score: 0, missing_files: ["src/pager.ts"], file_f1: 0, similarity: 0, size_ratio: 0 });
});

test("only the first files of a very long patch are compared, and its size is unknown", async () => {
  const many = Array.from({ length: 3_000 }, (_, n) => [`gen/${n}.ts`, "a", "x".repeat(40)] as const);
  const score = await scoreAgainstReference(
    REFERENCE,
    changes(["src/pager.ts", "return n - 1;", "return n;"], ...many),
    null,
  );
  expect(score).toMatchObject({ exact_match: false, size_ratio: null, file_recall: 1 });
  expect(score.similarity).toBeGreaterThan(0);
  expect(score.extra_files.length).toBe(3_000);
});
