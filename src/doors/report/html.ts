import { plainText } from "../../domain/plain-text.ts";
import type { Word } from "../../domain/words.ts";
import { Pace } from "../../runtime/pace.ts";

/** Markup that may stand in a page as it is. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | Word | number | null | readonly Part[];

/** Markup of a template. Every value in it is text, shown as it is: no mark-up, no control characters, nothing that turns its direction. */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(strings.map((text, index) => text + (index < parts.length ? rendered(parts[index] ?? null) : "")).join(""));

function rendered(part: Part): string {
  if (part === null) return "";
  if (part instanceof Html) return part.text;
  if (typeof part === "object") return "map" in part ? part.map(rendered).join("") : markedWord(part).text;
  return plainText(String(part)).replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`);
}

/** An arm has its colour, a figure stands out. */
const markedWord = (word: Exclude<Word, string>): Html =>
  "arm" in word ? html`<span class="${word.arm}">${word.name}</span>` : html`<strong>${word.figure}</strong>`;

type Row = readonly Part[];

/** A table of texts; the first cell of a row is its head. */
export const htmlTable = (head: Row, rows: readonly Row[]): Html =>
  tableOf(head, { kind: null, body: rows.map((row) => rowOf(row, () => null)) });

/** A table with prose. On a phone each row is a block. */
export const foldedTable = (head: Row, rows: readonly Row[]): Html =>
  tableOf(head, { kind: "folded", body: rows.map((row) => rowOf(row, nameIn(head))) });

const nameIn = (head: Row) => (index: number) => html`<span class="of">${head[index + 1] ?? ""} </span>`;

/** A table that may have thousands of rows, made in turns. On a phone each row is a block. */
export async function longHtmlTable<Item>(
  head: Row,
  items: readonly Item[],
  cellsOf: (item: Item) => Row,
): Promise<Html> {
  const pace = new Pace();
  const body: Html[] = [];
  for (const item of items) {
    const row = rowOf(cellsOf(item), nameIn(head));
    body.push(row);
    await pace.units(row.text.length / UNIT_CHARS);
  }
  return tableOf(head, { kind: "folded", body });
}

/** Characters of a row that are made in the time of one unit of pace. */
const UNIT_CHARS = 200;

const rowOf = ([first = "", ...cells]: Row, nameOf: (index: number) => Part): Html =>
  html`<tr><th scope="row">${first}</th>${cells.map((cell, index) => html`<td>${nameOf(index)}${cell}</td>`)}</tr>
`;

interface TableBody {
  readonly kind: "folded" | null;
  readonly body: readonly Html[];
}

const tableOf = (head: Row, { kind, body }: TableBody): Html =>
  html`<div class="wide" tabindex="0">${new Html(kind === null ? "<table>" : `<table class="${kind}">`)}
<thead><tr>${head.map((cell) => (cell === "" ? html`<td></td>` : html`<th scope="col">${cell}</th>`))}</tr></thead>
<tbody>${body}</tbody></table></div>`;

/** A whole page that loads nothing, runs nothing and can be printed. */
export const htmlPage = (title: string, body: Html, style: Html = new Html("")): string =>
  html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer">
<title>${title}</title><style>${STYLE}${style}</style></head>
<body><main>
${body}
</main></body></html>
`.text;

const STYLE = new Html(`:root{color-scheme:light dark;--a:light-dark(#1a5fb4,#82b4ff);--b:light-dark(#a34a00,#ffb067);
--line:light-dark(#deded9,#333842);--soft:light-dark(#585b63,#a5abb6);--good:light-dark(#1b6b3a,#7fd6a0);
--bad:light-dark(#b3201f,#ff9b94);--raised:light-dark(#f7f7f5,#1b1e24);--on:light-dark(#fff,#14161a)}
body{margin:0;background:light-dark(#fff,#14161a);color:light-dark(#1a1b1e,#e8e9ec);font:15px/1.55 system-ui,sans-serif;
font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
main{max-width:64rem;margin:0 auto;padding:1.5rem 1rem 4rem}
small{font-weight:400}h1{font-size:1.6rem;line-height:1.25;margin:0 0 .5rem}h2{font-size:1.1rem;margin:2rem 0 .5rem;
border-bottom:1px solid var(--line)}h3{font-size:1rem;margin:1rem 0 .25rem}p{margin:.4rem 0}
.soft{color:var(--soft);font-size:.85rem}.a{color:var(--a)}.b{color:var(--b)}.good{color:var(--good)}.bad{color:var(--bad)}
.both{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(20rem,100%),1fr));gap:0 1.5rem}
.both>div{min-width:0}.chip{padding:.1rem .55rem;border:1px solid;border-radius:99px;font-size:.8rem}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.9rem}th,td{padding:.35rem .6rem;text-align:left;
vertical-align:top;border-bottom:1px solid var(--line);font-weight:400}thead th{min-width:4rem;font-weight:600;
overflow-wrap:break-word}table:has(thead td) tbody th::first-letter{text-transform:uppercase}details td:last-child{min-width:11rem}
pre{margin:.4rem 0;padding:.6rem;background:var(--raised);font:.8rem/1.5 ui-monospace,monospace;white-space:pre-wrap}
pre span{display:block}.bar{position:relative;height:.7rem;min-width:7rem;background:var(--raised);border:1px solid var(--line)}
.bar i{position:absolute;inset-block:.12rem;background:var(--soft)}.bar.a i{background:var(--a)}.bar.b i{background:var(--b)}
.bar b{position:absolute;inset-block:-.2rem;left:50%;border-left:1px solid currentcolor}
.bar .rate{inset-block:-.1rem;width:.3rem;translate:-50%;outline:2px solid light-dark(#fff,#14161a)}
.bar.score{min-width:2.5rem}.bar,.bar.a,.bar.b{color:inherit}.ends{display:grid;grid-template-columns:1fr auto 1fr}.ends :last-child{text-align:right}
.strip{display:flex;flex-wrap:wrap;gap:2px;align-items:center}p.strip{gap:.2rem 1rem}td .strip{min-width:9rem}
.trial{display:inline-block;width:1.4rem;border-radius:3px;background:var(--raised);color:inherit;
font:700 .7rem/1.4rem system-ui,sans-serif;text-align:center}.trial.a{border-radius:50%;background:var(--a);color:var(--on)}
.trial.b{background:var(--b);color:var(--on)}.trial.missing{outline:1px dashed var(--bad);outline-offset:-1px;background:none;
color:var(--bad)}summary{cursor:pointer}.of{display:none}
@media screen and (max-width:40rem){.folded,.folded tbody{display:block}.folded thead{display:none}.folded tr{display:flex;flex-wrap:wrap;gap:.15rem 1rem;padding:.5rem 0;
border-bottom:1px solid var(--line)}.folded :is(th,td){border:0;padding:0;min-width:0}.folded th{flex:0 0 100%;font-weight:600}.folded td:last-child{min-width:0}
.folded .of{display:inline;color:var(--soft)}.folded th .soft{font-weight:400}.folded td:has(.bar){flex:1 1 9rem}.folded td:not(:has(.score)):has(+td>.score){flex-basis:100%}.folded td:has(.score){flex:1 1 8rem}}
.plot{position:relative;height:13rem;margin:1rem 0 .3rem 3.2rem;border:solid var(--soft);border-width:0 0 1px 1px}.plot+.ends{margin-left:3.2rem}
.plot svg{position:absolute;inset:0;width:100%;height:100%;overflow:visible}.plot polyline{fill:none;stroke:currentcolor;stroke-width:2;
vector-effect:non-scaling-stroke}.plot span{position:absolute;font-size:.75rem;line-height:1}.tick{left:-3.2rem;width:2.8rem;
text-align:right;translate:0 -50%;color:var(--soft)}.limit{inset-inline:0;padding:.25rem .5rem;border-top:1px dashed;color:var(--good)}
.claim{width:.7rem;height:.7rem;translate:-50% -50%;border-radius:50%;outline:2px solid light-dark(#fff,#14161a);background:currentcolor}
.quadrant{display:block;width:100%;max-width:30rem;margin:1rem 0;fill:currentcolor}.quadrant line{stroke:currentcolor}.quadrant text{font-size:12px;opacity:.75}
@page{margin:14mm}@media print{:root{color-scheme:light;font-size:11.5px;print-color-adjust:exact}body{font-size:1rem}
main{max-width:none;padding:0}h1,h2,h3{break-after:avoid}tr,.trial,.bar,.plot{break-inside:avoid}.wide{overflow:visible}}`);
