/** The calls of one run with nothing around them: two arms at once, then both orders of a judge. */
const url = `${process.env["OPENAI_BASE_URL"]}/chat/completions`;

async function call(body: unknown): Promise<unknown> {
  const response = await fetch(url, { method: "POST", body: JSON.stringify(body) });
  return await response.json();
}

const arm = { model: "m", messages: [{ role: "user", content: "Say hello." }] };
const arms = await Promise.all([call(arm), call(arm)]);
const judge = { ...arm, arms, tool_choice: "auto" };
console.log(JSON.stringify(await Promise.all([call(judge), call(judge)])));

export {};
