// A coding agent in one file, for bun or node, without packages: the smallest program that abeval can compare with another.
//
//   bun agent.mjs <base url> <model> <task>        the key stands in OPENAI_API_KEY
//
// It asks a model over OpenAI's chat completions, does what the model calls for in the working directory, and ends with the
// model's last words. PLAIN_RULES adds to what the model is told: change it, and you have another agent to compare.
import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

const [base, model, task] = process.argv.slice(2);
const rules = process.env.PLAIN_RULES ?? "";

const tool = (name, description, ...fields) => ({
  type: "function",
  function: {
    name,
    description,
    parameters: {
      type: "object",
      properties: Object.fromEntries(fields.map((field) => [field, { type: "string" }])),
      required: fields,
    },
  },
});

const tools = [
  tool("read", "The text of a file.", "path"),
  tool("write", "Writes a whole file.", "path", "content"),
  tool("shell", "Runs a command and gives what it printed.", "command"),
];

const run = (command) =>
  new Promise((resolve) =>
    execFile("sh", ["-c", command], { timeout: 60_000 }, (error, stdout, stderr) =>
      resolve(`${stdout}${stderr}${error ? `\nExit code ${error.code ?? error.signal}` : ""}`),
    ),
  );

async function write({ path, content }) {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
  return "written";
}

const doers = { read: ({ path }) => readFile(path, "utf8"), write, shell: ({ command }) => run(command) };

async function result({ function: { name, arguments: given } }) {
  try {
    return await doers[name](JSON.parse(given));
  } catch (error) {
    return `Error: ${error.message}`;
  }
}

async function ask(messages) {
  const headers = { "content-type": "application/json", authorization: `Bearer ${process.env.OPENAI_API_KEY}` };
  const body = JSON.stringify({ model, messages, tools });
  const response = await fetch(`${base}/chat/completions`, { method: "POST", headers, body });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  const { choices } = await response.json();
  return choices[0].message;
}

const messages = [
  { role: "system", content: `You work on the files of the current directory. ${rules}`.trim() },
  { role: "user", content: task },
];

for (;;) {
  const said = await ask(messages);
  messages.push(said);
  if (!said.tool_calls?.length) {
    console.log(said.content);
    break;
  }
  for (const call of said.tool_calls)
    messages.push({ role: "tool", tool_call_id: call.id, content: await result(call) });
}
