/** Colours and sizes of the inspector's page, which is where people go on. */
export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --paper: light-dark(#f6f7f7, #101416); --sheet: light-dark(#ffffff, #171c1f); --sunk: light-dark(#eef1f1, #12181a);
  --line: light-dark(#dde2e3, #2a3337); --line-strong: light-dark(#8a9699, #66747a);
  --ink: light-dark(#162124, #e6ecee); --ink-dim: light-dark(#546468, #9aaab0);
  --accent: light-dark(#0f5c63, #6cc5cd); --on-accent: light-dark(#ffffff, #0c1a1c);
  --warn: light-dark(#855100, #efb85c); --warn-soft: light-dark(#fdf0d8, #35290f);
  --good: light-dark(#17693f, #7fd6a4); --good-soft: light-dark(#e2f4e9, #12301f);
  --bad: light-dark(#a3293a, #f58c98); --bad-soft: light-dark(#fce7e9, #3b1a20);
}
*, *::before, *::after { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; overflow-wrap: anywhere; }
main { max-width: 30rem; margin: 8vh auto 2rem; padding: 1.75rem; background: var(--sheet); border: 1px solid var(--line); border-radius: 10px; }
main.wide { max-width: 56rem; }
section { margin: 1.5rem 0 0; border-top: 1px solid var(--line); }
section h2 { margin-top: 1rem; }
summary { cursor: pointer; min-height: 44px; padding: .6rem 0; color: var(--accent); }
.rows { list-style: none; padding: 0; }
.rows > li { padding: .55rem 0; border-top: 1px solid var(--line); }
.rows form { margin-top: .4rem; }
pre { margin: 0 0 .85rem; padding: .7rem .9rem; background: var(--sunk); border-radius: 8px; overflow-x: auto; white-space: pre-wrap; }
table { border-collapse: collapse; width: 100%; font-size: .93rem; }
th, td { text-align: left; padding: .45rem .6rem .45rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { color: var(--ink-dim); font-weight: 600; }
.scrolls { overflow-x: auto; overflow-wrap: normal; }
.good { padding: .6rem .8rem; border-radius: 8px; background: var(--good-soft); color: var(--good); }
.brand { margin: 0 0 1rem; color: var(--accent); font-weight: 650; }
h1 { margin: 0 0 .75rem; font-size: 1.35rem; line-height: 1.25; }
h2 { margin: 1.25rem 0 .35rem; font-size: 1rem; }
p, ul, dl { margin: 0 0 .85rem; }
ul { padding-left: 1.2rem; }
dt { color: var(--ink-dim); font-size: .87rem; }
dd { margin: 0 0 .6rem; }
strong.host { font-size: 1.1rem; }
.dim { color: var(--ink-dim); font-size: .87rem; }
.warn, .bad { padding: .6rem .8rem; border-radius: 8px; }
.warn { background: var(--warn-soft); color: var(--warn); }
.bad { background: var(--bad-soft); color: var(--bad); }
.bad:empty { display: none; }
form, .actions { display: flex; flex-wrap: wrap; gap: .6rem; margin: 1.1rem 0 0; }
button, .button { min-height: 44px; padding: .5rem 1.1rem; border: 1px solid var(--line-strong); border-radius: 8px; background: var(--sheet); color: var(--ink); font: inherit; text-decoration: none; cursor: pointer; display: inline-flex; align-items: center; }
button.main, .button.main { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
button:disabled { opacity: .6; cursor: default; }
a { color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
@media (max-width: 34rem) { main { margin: 0; min-height: 100vh; border: 0; border-radius: 0; } }
`;
