import { expect, test } from "bun:test";
import { join } from "node:path";
import { comparisonDigest, conditionsOf } from "../../src/comparison/planning/comparison.ts";
import { prepareSession } from "../../src/comparison/planning/prepare-session.ts";
import { differences } from "../../src/comparison/scenario/declared-differences.ts";
import { comparabilityDigest } from "../../src/comparison/scenario/digest.ts";
import { loadScenarioFile } from "../../src/comparison/scenario/load-scenario.ts";
import { checkoutInputs } from "../../src/doors/cli/services/checkout-inputs.ts";
import { diagnoseFile, ofScenario } from "../doctor/small-scenario.ts";
import { EXAMPLES, testServices } from "../harness.ts";
import { PYTHON, SANDBOX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { failureOf, scenarioFolder } from "../scenario/scenario-folder.ts";
import { againstScript, serveAnswers } from "./served-answer.ts";

async function loaded(text: string) {
  await using folder = await scenarioFolder({ "served.yaml": text });
  return await loadScenarioFile(folder.path("served.yaml"));
}

const messageOf = async (arm: string) =>
  (await failureOf(loaded(againstScript(arm)))).message.replace(/^.*?served\.yaml:\d+:\d+ /s, "");

test("what does nothing in an arm that answers by itself is a mistake, and so is what nobody can ask", async () => {
  const told = async (more: string) => await messageOf(`{id: app, endpoint: {url: "https://app/"}, ${more}}`);
  const idle = (field: string) =>
    `arms[0].${field}: does nothing in an arm with \`endpoint\`, which answers by itself; take it out`;
  expect(await told("model: openai/x")).toBe(idle("model"));
  expect(await told("system_prompt: Be brief.")).toBe(idle("system_prompt"));
  expect(await told("files: {a: b}")).toBe(idle("files"));
  expect(await told("program: {run: [x]}")).toBe("arms[0].program: endpoint is given too; keep one");
  const asked = async (endpoint: string) => await messageOf(`{id: app, endpoint: {${endpoint}}}`);
  expect(await asked("url: app.internal/x")).toBe(
    "arms[0].endpoint.url: expected http://<host>/<path> or https://<host>/<path>",
  );
  expect(await asked('url: "https://me:secret@app/"')).toContain("send it as a header by headers_env");
  expect(await asked('url: "https://app/", headers_env: {authorization: ANTHROPIC_API_KEY}')).toContain(
    "arms[0].endpoint.headers_env.authorization: expected text that fits ^ABEVAL_ENDPOINT_",
  );
  expect(await asked('url: "https://app/", headers_env: {host: ABEVAL_ENDPOINT_X}')).toBe(
    "arms[0].endpoint.headers_env.host: is set by abeval; leave it out",
  );
  expect(await asked('url: "https://app/", send: [wanted]')).toBe(
    'arms[0].endpoint.send[0]: "wanted" names no column of the inputs',
  );
  expect(await messageOf("{id: app, model: endpoint/app}")).toContain("give that");
});

test("no model takes the place of an arm that answers by itself", async () => {
  const scenario = await loaded(againstScript('{id: app, endpoint: {url: "https://app/"}}'));
  const refused = await failureOf(prepareSession(testServices(), scenario, { model_override: "scripted/y" }));
  expect(refused).toMatchObject({ code: "invalid_request", details: { field: "model_override" } });
  expect(refused.message).toContain('arm "app" answers by itself (endpoint)');
});

test("a run is refused before anybody is asked: by the address, or by a variable that is not set", async () => {
  const refused = async (endpoint: string) =>
    (
      await failureOf(
        prepareSession(testServices(), await loaded(againstScript(`{id: app, endpoint: {${endpoint}}}`)), {}),
      )
    ).message;
  expect(await refused('url: "http://169.254.169.254/latest"')).toContain('arm "app": its endpoint may not be asked: ');
  expect(await refused('url: "https://app/", headers_env: {authorization: ABEVAL_ENDPOINT_NONE}')).toBe(
    'arm "app": the header authorization of an endpoint comes from ABEVAL_ENDPOINT_NONE; set it',
  );
});

const TWO = `name: served
varies: [endpoint]
task: {prompt: Hi}
arms:
  - {id: old, endpoint: {url: "http://127.0.0.1:9000/a", version: "1"}}
  - {id: new, endpoint: {url: "http://127.0.0.1:9001/a", version: "2"}}
rubric: {criteria: [{measure: answer_words}], judge: {model: builtin/evidence}}
`;

test("an arm is known by its version, and without one by the day", async () => {
  const digest = async (text: string, day = "2026-11-28") => {
    const { definition } = await loaded(text);
    const conditions = conditionsOf(definition, "builtin/evidence", day);
    return comparisonDigest({ ...conditions, arms: definition.arms, sandbox: "none", day, installs: [[], []] });
  };
  const own = await digest(TWO);
  expect(await digest(TWO, "2026-11-29")).toBe(own);
  expect(await digest(TWO.replace(":9001/", ":7777/").replace("id: new", "id: newer"))).toBe(own);
  expect(await digest(TWO.replace('"2"', '"3"'))).not.toBe(own);
  expect(await digest(TWO.replace("127.0.0.1:9001", "app.internal"))).not.toBe(own);
  const unversioned = TWO.replace(', version: "2"', "");
  expect(await digest(unversioned, "2026-11-29")).not.toBe(await digest(unversioned));
  expect(await digest(unversioned.replace(":9001/", ":7777/"))).not.toBe(await digest(unversioned));
  const [old, next] = (await loaded(TWO)).definition.arms;
  expect(differences(old, next)).toEqual(["endpoint"]);
});

const checked = (posted: string) =>
  TWO.replace("task: {prompt: Hi}", `task: {prompt: Hi, probe: {checks: [{posted: {${posted}}}]}}`);

test("a posted check is known by its url, and by its version whatever the port", async () => {
  const digest = async (posted: string) => comparabilityDigest((await loaded(checked(posted))).definition);
  const versioned = await digest('url: "http://127.0.0.1:9100/c", version: "1"');
  expect(await digest('url: "http://127.0.0.1:9101/c", version: "1"')).toBe(versioned);
  expect(await digest('url: "http://127.0.0.1:9100/c", version: "2"')).not.toBe(versioned);
  const plain = await digest('url: "http://127.0.0.1:9100/c"');
  expect(await digest('url: "http://127.0.0.1:9101/c"')).not.toBe(plain);
});

test("a posted check without a version is another one on another day", async () => {
  const digests = async (posted: string, day: string) => {
    const plan = await prepareSession(testServices(), await loaded(checked(posted)), { day });
    return [plan.comparison, plan.evidence_digests.common, plan.self_test_key];
  };
  const plain = 'url: "http://127.0.0.1:9100/c"';
  const today = await digests(plain, "2026-11-28");
  expect(await digests(plain, "2026-11-28")).toEqual(today);
  const tomorrow = await digests(plain, "2026-11-29");
  expect(tomorrow.map((digest, at) => digest === today[at])).toEqual([false, false, true]);
  const known = `${plain}, version: "1"`;
  expect(await digests(known, "2026-11-29")).toEqual(await digests(known, "2026-11-28"));
});

test("a verdict says that an arm is deployed, and that nobody said what runs there", async () => {
  const flagsOf = async (text: string) => (await prepareSession(testServices(), await loaded(text), {})).flags;
  expect(await flagsOf(TWO)).toEqual(["endpoint_arm"]);
  expect(await flagsOf(TWO.replace(', version: "1"', ""))).toEqual(["endpoint_arm", "arm_unversioned"]);
  expect(await flagsOf(checked('url: "http://127.0.0.1:9100/c"'))).toEqual(["endpoint_arm", "arm_unversioned"]);
  expect(await flagsOf(checked('url: "http://127.0.0.1:9100/c", version: "1"'))).toEqual(["endpoint_arm"]);
});

const served = (url: string) => ({
  name: "small",
  task: { prompt: "Say {{word}}.", probe: { checks: [{ id: "good", answer_contains: "{{wanted}}" }] } },
  inputs: [{ id: "one", word: "yes", wanted: "good" }],
  arms: [
    { id: "app", endpoint: { url } },
    { id: "script", model: "scripted/a", script: [{ say: "yes" }] },
  ],
  policies: { commands: { deny: ["rm *"] } },
  rubric: { criteria: [{ measure: "probe_score" }], judge: { model: "builtin/evidence" } },
});

test("a check asks no endpoint, names the rules that cannot be checked, and rehearses when it is told to", async () => {
  await using server = serveAnswers(() => Response.json({ answer: "good" }));
  const rows = async (changes = {}, url = server.url) =>
    Object.fromEntries(
      ofScenario(await diagnoseFile(served(url), changes)).map(({ id, status, detail }) => [
        id,
        `${status}: ${detail}`,
      ]),
    );
  const told = await rows();
  expect(server.asked.length).toBe(0);
  expect(told["endpoints.address"]).toBe(`pass: app: ${server.url}`);
  expect(told["endpoints.rules"]).toStartWith("warn: policies.commands and policies.required");
  expect(told["endpoints.rules"]).toContain("app: no version, so runs of other days do not count");
  expect(told["endpoints.rehearsal"]).toStartWith("skip: nobody was asked");
  expect((await rows({ rehearse: true }))["endpoints.rehearsal"]).toBe("pass: app answered");
  expect(server.asked.map(({ body }) => body)).toEqual([
    expect.objectContaining({
      ...{ rehearsal: true, messages: [{ role: "user", text: "Say yes." }] },
      input: { id: "one", values: { id: "one", word: "yes" } },
    }),
  ]);
  await using broken = serveAnswers(() => new Response("no", { status: 500 }));
  expect((await rows({ rehearse: true }, broken.url))["endpoints.rehearsal"]).toBe("fail: app: it answered 500: no");
  expect((await rows({}, "http://app.internal/"))["endpoints.address"]).toStartWith("fail: ");
});

test("a check asks no program of a posted check, and a rehearsal posts work of nobody", async () => {
  await using server = serveAnswers(() => Response.json({ pass: false }));
  const scenario = served(server.url);
  const file = {
    ...scenario,
    task: {
      ...scenario.task,
      reference_answer: "good",
      probe: { checks: [{ id: "polite", posted: { url: server.url } }] },
    },
    arms: ["a", "b"].map((id) => ({ id, model: `scripted/${id}`, script: [{ say: id }] })),
  };
  const rows = async (changes = {}) =>
    Object.fromEntries(ofScenario(await diagnoseFile(file, changes)).map((row) => [row.id, row]));
  const told = await rows();
  expect(told["endpoints.address"]).toMatchObject({ status: "pass", detail: `check polite: ${server.url}` });
  expect(told["endpoints.rehearsal"]?.status).toBe("skip");
  const unversioned = "check polite: no version, so runs of other days do not count";
  expect(told["endpoints.rules"]).toMatchObject({ status: "warn", detail: unversioned });
  const unasked = { status: "skip", detail: "the hidden checks are posted, and nobody is asked" };
  for (const id of ["probe.before", "probe.discriminates", "probe.stable"]) expect(told[id]).toMatchObject(unasked);
  expect(server.asked).toEqual([]);
  const rehearsed = await rows({ rehearse: true });
  expect(rehearsed["endpoints.rehearsal"]).toMatchObject({ status: "pass", detail: "check polite answered" });
  expect(server.asked.map(({ body }) => body)).toEqual([
    {
      ...{ protocol: "abeval/check/1", check: "polite", answer: "good", steps: [], change: "", rehearsal: true },
      input: { id: "one", values: { id: "one", word: "yes", wanted: "good" } },
    },
  ]);
  const [check] = file.task.probe.checks;
  if (check) check.posted.url = "http://127.0.0.1:1/";
  expect((await rows({ rehearse: true }))["endpoints.rehearsal"]).toMatchObject({
    status: "fail",
    detail: "check polite: its endpoint at 127.0.0.1:1 refused the connection (6 tries)",
  });
});

testNeeding(SANDBOX, PYTHON)("a rehearsal starts a program, asks it, and says what is wrong with it", async () => {
  const rowOf = async (source: string, changes = {}) => {
    const file = served("http://127.0.0.1:1/");
    const program = { id: "app", program: { run: ["python3", "answer.py"] }, files: { "answer.py": source } };
    const arms = file.arms.map((arm) => (arm.id === "app" ? program : arm));
    const all = ofScenario(await diagnoseFile({ ...file, arms } as never, changes));
    return all.find(({ id }) => id === "programs.rehearsal");
  };
  const REHEARSED = { rehearse: true, sandbox: "auto" } as const;
  const source =
    "import json, sys\nasked = json.load(sys.stdin)\nprint(asked['rehearsal'], asked['input']['values']['word'])\n";
  expect(await rowOf(source)).toMatchObject({ status: "skip" });
  expect(await rowOf(source, REHEARSED)).toMatchObject({ status: "pass", detail: "app answered" });
  expect(await rowOf("raise ValueError('no idea')\n", REHEARSED)).toMatchObject({
    status: "fail",
    detail: "app: its program ended with exit code 1: ValueError: no idea",
  });
});

test("the author of a change who names whom to ask is told so, for arms and checks", async () => {
  const checks = 'probe: {checks: [{posted: {url: "http://127.0.0.1:9100/c"}}]}';
  const scenario = await loaded(TWO.replace("task: {prompt: Hi}", `task: {prompt: Hi, ${checks}}`));
  // Any file of a work tree.
  const scenarios = [{ ...scenario, file: join(EXAMPLES, "two-prompts.yaml") }];
  const inputs = await checkoutInputs(
    { value: () => undefined },
    { in_ci: true, replayed_from: undefined },
    { scenarios },
  );
  const urls = inputs?.flatMap(({ input, path }) => (input === "endpoint" ? [path] : []));
  expect(urls).toEqual(["http://127.0.0.1:9000/a", "http://127.0.0.1:9001/a", "http://127.0.0.1:9100/c"]);
});
