import { plainText } from "../domain/plain-text.ts";

/** Markup that may stand in a page as it is. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | null | readonly Part[];

/** Markup of a template. Every value in it is text, shown as it is: no mark-up, no control characters, nothing that turns its direction. */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(strings.map((text, index) => text + (index < parts.length ? rendered(parts[index] ?? null) : "")).join(""));

function rendered(part: Part): string {
  if (part === null) return "";
  if (part instanceof Html) return part.text;
  if (typeof part === "object") return part.map(rendered).join("");
  return plainText(String(part)).replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`);
}

/** A table of texts; the first cell of a row is its head. */
export const htmlTable = (
  head: readonly Part[],
  rows: readonly (readonly Part[])[],
): Html => html`<div class="wide"><table>
<thead><tr>${head.map((cell) => (cell === "" ? html`<td></td>` : html`<th scope="col">${cell}</th>`))}</tr></thead>
<tbody>${rows.map(
  ([first = "", ...cells]) => html`<tr><th scope="row">${first}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>
`,
)}</tbody></table></div>`;

/** A whole page that loads nothing, runs nothing and can be printed. */
export const htmlPage = (title: string, body: Html): string =>
  html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer">
<title>${title}</title><style>${STYLE}</style></head>
<body><main>
${body}
</main></body></html>
`.text;

const STYLE = new Html(`:root{color-scheme:light dark;--a:light-dark(#1a5fb4,#82b4ff);--b:light-dark(#a34a00,#ffb067);
--line:light-dark(#deded9,#333842);--soft:light-dark(#585b63,#a5abb6);--good:light-dark(#1b6b3a,#7fd6a0);
--bad:light-dark(#b3201f,#ff9b94);--raised:light-dark(#f7f7f5,#1b1e24)}
body{margin:0;background:light-dark(#fff,#14161a);color:light-dark(#1a1b1e,#e8e9ec);font:15px/1.55 system-ui,sans-serif;
font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
main{max-width:64rem;margin:0 auto;padding:1.5rem 1rem 4rem}
h1{font-size:1.6rem;line-height:1.25;margin:0 0 .5rem}h2{font-size:1.1rem;margin:2rem 0 .5rem;
border-bottom:1px solid var(--line)}h3{font-size:1rem;margin:1rem 0 .25rem}p{margin:.4rem 0}
.soft{color:var(--soft);font-size:.85rem}.a{color:var(--a)}.b{color:var(--b)}.good{color:var(--good)}.bad{color:var(--bad)}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.9rem}th,td{padding:.35rem .6rem;text-align:left;
vertical-align:top;border-bottom:1px solid var(--line);font-weight:400}thead th{min-width:4rem;font-weight:600}
pre{margin:.4rem 0;padding:.6rem;background:var(--raised);font:.8rem/1.5 ui-monospace,monospace;white-space:pre-wrap}
pre span{display:block}.bar{position:relative;height:.6rem;background:var(--raised);border:1px solid var(--line)}
.bar i{position:absolute;inset-block:0;background:var(--a)}.bar b{position:absolute;inset-block:-.2rem;left:50%;
border-left:1px solid currentcolor}summary{cursor:pointer}
@media print{details{break-inside:avoid}h2{break-after:avoid}body{font-size:11px}}`);
