/** System fonts and colours of both schemes; the page loads nothing. */
export const DOCS_STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d8dce3, #333b47); --soft: light-dark(#f4f6f9, #191e26); --quiet: light-dark(#5b6675, #98a4b5); }
* { box-sizing: border-box; }
body { margin: 0; display: grid; grid-template-columns: 17rem minmax(0, 60rem); gap: 2rem; font: 15px/1.5 system-ui, sans-serif; background: light-dark(#fff, #11151b); color: light-dark(#1a2029, #e3e8ef); }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1rem; border-right: 1px solid var(--line); background: var(--soft); font-size: 13px; }
nav h1 { font-size: 18px; margin: 0; } nav h2 { font-size: 12px; margin: 1rem 0 .25rem; color: var(--quiet); }
nav a { display: block; padding: .1rem 0; overflow-wrap: anywhere; }
main { padding: 1rem 1rem 6rem 0; } article { border-top: 1px solid var(--line); padding: .5rem 0 1.5rem; scroll-margin-top: 1rem; }
a { color: light-dark(#0b57c2, #8ab8ff); text-decoration: none; } a:hover, a:focus-visible { text-decoration: underline; }
h3 { font-size: 16px; } h4 { margin: .5rem 0; } small { color: var(--quiet); font-weight: normal; }
code, pre, .type { font: 13px/1.45 ui-monospace, monospace; }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: 6px; padding: .75rem; overflow: auto; max-height: 24rem; margin: .25rem 0 .75rem; }
dl { display: grid; grid-template-columns: minmax(9rem, max-content) 1fr; gap: .2rem 1rem; margin: .5rem 0; } dd { margin: 0; overflow-wrap: anywhere; }
details { border: 1px solid var(--line); border-radius: 6px; margin: .35rem 0; padding: .3rem .75rem; } summary { cursor: pointer; }
.get, .post, .delete { text-transform: uppercase; font-size: 11px; padding: .1rem .35rem; border-radius: 4px; color: #fff; }
.get { background: #2468b2; } .post { background: #1f7a46; } .delete { background: #b23838; }
@media (max-width: 60rem) { body { display: block; } nav { position: static; height: auto; border: 0; } main { padding: 1rem; } }
`;
