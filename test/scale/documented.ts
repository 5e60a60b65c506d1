import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { readPage } from "../docs/pages.ts";
import { openShell } from "../docs/shell.ts";
import { describeNeeding } from "../needs.ts";
import { POSTGRES, postgresServer } from "../postgres/server.ts";

const README = await readPage("README.md");
const SCALE = await readPage("docs/scale.md");

const WRITTEN = "postgres://abeval:<password>@db.example.com/abeval";

const startOf = ({ blocks }: typeof README) => blocks.find(({ text }) => text.includes("--worker"))?.text ?? "";

describeNeeding(POSTGRES)("several servers, as the pages start them", () => {
  test("one accepts what the other runs", async () => {
    expect(startOf(SCALE)).toBe(startOf(README));
    const [variable = "", worker = "", server = "", ...more] = startOf(README).split("\n");
    expect(more).toEqual([]);
    await using postgres = await postgresServer();
    const { url } = await postgres.create();
    using shell = openShell();
    mkdirSync(join(shell.path, "ui"));
    writeFileSync(join(shell.path, "ui", "index.html"), "<!doctype html>");
    const { status, stdout, stderr } = await shell.type(`
      ${variable.replace(WRITTEN, url)}
      ${worker} 2> worker.log & worker=$!
      ${server.replace("8080", "0")} 2> server.log & server=$!
      trap 'kill $worker $server; wait' EXIT
      until grep -q 'working, 8 sessions' worker.log && grep -q listening server.log; do
        kill -0 $worker && kill -0 $server || { cat worker.log server.log >&2; exit 1; }
        sleep 0.1
      done
      address=$(grep -o 'http://[^ ]*' server.log)
      curl -sf $address/api/runs -H 'content-type: application/json' -d '{"scenario": "suite-due-date"}' | jq -r .state
      curl -sf $address/ -o /dev/null && echo ui`);
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "completed\nui\n", stderr: "" });
  });
});

test("the recipes are YAML, and say the flags of a worker and of a server", () => {
  const recipes = SCALE.blocks.filter(({ language }) => language === "yaml");
  const documents = recipes.flatMap(({ text }) => parseAllDocuments(text, { merge: true }));
  expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
  const recipe = documents.map((document) => document.toJS());
  const { worker, api } = recipe.find(({ services }) => services)?.services ?? {};
  expect(worker.environment).toMatchObject({ ABEVAL_DATABASE_URL: "postgres://abeval@db/abeval" });
  const commands = recipe.flatMap(({ spec }) => spec?.template?.spec.containers[0].args.join(" ") ?? []);
  for (const command of [worker.command.join(" "), commands[0]]) expect(command).toMatch(/^serve --worker /);
  for (const command of [api.command.join(" "), commands[1]]) expect(command).toMatch(/^serve --max-sessions 0 /);
});
