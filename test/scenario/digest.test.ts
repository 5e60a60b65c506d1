import { expect, test } from "bun:test";
import { boundToArm } from "../../src/arms/recording/roles.ts";
import { comparabilityDigest, scenarioDigest } from "../../src/comparison/scenario/digest.ts";
import { canonicalJson } from "../../src/domain/canonical-json.ts";
import { SETUP_TIMEOUT_S } from "../../src/domain/defaults.ts";
import type { Scenario } from "../../src/domain/scenario.ts";
import { SHORT, scenarioIn } from "./scenario-folder.ts";

const short = (text = SHORT) => scenarioIn({ text, file: "short.yaml", stem: "short", directory: "/nowhere" });

test("canonical JSON sorts keys at every depth and keeps the order of lists", () => {
  expect(canonicalJson({ b: [2, 1, { d: null, c: "é" }], a: undefined, A: true })).toBe(
    '{"A":true,"b":[2,1,{"c":"é","d":null}]}',
  );
});

test("two spellings of one scenario have one digest, comments and order aside", async () => {
  const [head = "", tail = ""] = SHORT.split("arms:\n");
  const [arms = "", rubric = ""] = tail.split("rubric:\n");
  const shuffled = `# c\nrubric:\n${rubric}arms:\n${arms}${head}`;
  const spelled = SHORT.replace("- Is it short?", "- {question: Is it short?, id: is-it-short, weight: 1}");
  const digests = await Promise.all([SHORT, shuffled, spelled].map(async (text) => scenarioDigest(await short(text))));
  expect(new Set(digests).size).toBe(1);
});

test("any change of the definition changes its digest, but arms stay comparable unless what they share changes", async () => {
  const base = await short();
  const changed = async (replaced: string, by: string) => {
    const other = await short(SHORT.replace(replaced, by));
    return [scenarioDigest(other) !== scenarioDigest(base), comparabilityDigest(other) !== comparabilityDigest(base)];
  };
  expect(await changed("You shout.", "You sing.")).toEqual([true, false]);
  expect(await changed("name: short", "name: short\ntitle: T")).toEqual([true, false]);
  expect(await changed("Say hello.", "Say goodbye.")).toEqual([true, true]);
  expect(await changed("Is it short?", "Is it long?")).toEqual([true, true]);
  expect(await changed("rubric:", "policies: {network: open}\nrubric:")).toEqual([true, true]);
  expect(await changed("Say hello.", "Say hello.\n  fixture: {files: {a: b}}")).toEqual([true, true]);
});

test("another judge model leaves arms comparable", async () => {
  const { rubric, ...rest } = await short();
  const judgedBy = (judge: Partial<Scenario["rubric"]["judge"]>): Scenario => ({
    ...rest,
    rubric: { ...rubric, judge: { ...rubric.judge, ...judge } },
  });
  const digests = [{ model: null }, { model: "acme/wonder-9" }, { max_evidence_tokens: 5 }].map(judgedBy);
  const [usual, named, narrow] = digests.map((one) => comparabilityDigest(one));
  expect([usual === named, usual === narrow]).toEqual([true, false]);
  expect(new Set(digests.map(scenarioDigest)).size).toBe(3);
});

test("a fixture that moves to another directory leaves arms comparable", async () => {
  const { task, ...rest } = await short();
  const at = (dir: string): Scenario => ({
    ...rest,
    task: { ...task, fixture: { dir, files: {}, digest: "0".repeat(64) } },
  });
  expect(comparabilityDigest(at("a"))).toBe(comparabilityDigest(at("b")));
});

test("what a scenario may hold since then changes no digest of a scenario without it", async () => {
  expect(scenarioDigest(await short())).toBe("1968dacf4d131fa3c06ac64aefd5ef6aa340f0f9ccaacbbaa343db06ec98ba60");
});

test("a setup step without a limit has the digests that it had when the usual limit was 60 s", async () => {
  const digests = async (step: string) => {
    const scenario = await short(SHORT.replace("Say hello.", `Say hello.\n  setup: [${step}]`));
    const [limit] = scenario.task.setup.map(({ timeout_s }) => timeout_s);
    return {
      limit,
      of: [scenarioDigest(scenario), comparabilityDigest(scenario), boundToArm(scenario.task, scenario.arms[0], "x")],
    };
  };
  const [unset, former, other] = await Promise.all(
    ["make", "{run: make, timeout_s: 60}", "{run: make, timeout_s: 90}"].map(digests),
  );
  expect(unset?.limit).toBe(SETUP_TIMEOUT_S);
  expect(unset?.of).toEqual(former?.of);
  expect(unset?.of.filter((digest, index) => Bun.deepEquals(digest, other?.of[index]))).toEqual([]);
});
