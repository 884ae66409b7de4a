import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toReadableText } from "./readable-text.ts";

const BASE = new URL("https://site.example/docs/page");
const never = new AbortController().signal;
const read = async (html: string) => (await toReadableText(html, BASE, never)).text;

describe("a page as text", () => {
  test.each([
    ["blanks collapse", "<p>one \n  two&nbsp; three</p>", "one two three"],
    ["inline tags do not part words", "<p>wo<b>rd</b>, <i>next</i>&amp;last</p>", "word, next&last"],
    ["blocks are apart", "<p>one</p><p>two</p><div>three<br>four</div>", "one\n\ntwo\n\nthree\nfour"],
    ["headings have their level", "<h1>Top</h1>text<h3>Sub</h3>", "# Top\n\ntext\n\n### Sub"],
    ["empty headings are not seen", "<h1></h1><p>text</p>", "text"],
    ["lists are marked", "<ul><li>a</li><li>b<ol><li>c</li><li>d</li></ol></li></ul>", "- a\n- b\n  1. c\n  2. d"],
    ["links are absolute", 'see <a href="../x?a=1&amp;b=2">this</a>.', "see [this](https://site.example/x?a=1&b=2)."],
    [
      "links to nowhere are text",
      '<a href="#top">up</a> <a href="javascript:x()">run</a> <a href="http://[">bad</a>',
      "up run bad",
    ],
    ["links without text are left out", 'a<a href="/x"><img src="i"></a>b', "ab"],
    ["code keeps its blanks", "<pre><code>if x:\n    y()\n</code></pre>", "```\nif x:\n    y()\n\n```"],
    ["code in a line is marked", "run <code>npm  test</code> now", "run `npm test` now"],
    ["cells are apart", "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>", "a | b\n1 | 2"],
    ["pictures give their text", 'x <img alt="A cat" src="c.png"> y', "x [image: A cat] y"],
    ["unclosed tags are closed", "<ul><li>one<li>two</ul><p>three<p>four", "- one\n- two\n\nthree\n\nfour"],
    ["plain text stays", "just text", "just text"],
    ["nothing gives nothing", "", ""],
  ])("%s", async (_, html, expected) => {
    expect(await read(html)).toBe(expected);
  });

  test("scripts, styles, menus and hidden parts are left out", async () => {
    const html = `<head><title> The \n title </title><style>p{}</style></head><body><nav>menu</nav><script>if (a < b) "</p>"</script>
      <p hidden>secret</p><div aria-hidden="true">secret</div><p>text</p><footer>foot</footer><noscript>on</noscript></body>`;
    expect(await toReadableText(html, BASE, never)).toEqual({ title: "The title", text: "text", cut: false });
  });

  test("the main part stands alone where the page marks one", async () => {
    const text = "The article says a lot. ".repeat(10).trim();
    expect(await read(`<div>Cookies! Login!</div><main><p>${text}</p></main><div>related</div>`)).toBe(text);
    expect(await read(`<div>${text}</div><article>ad</article>`)).toBe(`${text}\n\nad`);
  });

  test.each([
    ["nesting", `${"<div>".repeat(200_000)}x${"</span></div>".repeat(200_000)}`],
    ["lists in lists", "<ul><li>x".repeat(100_000)],
    ["addresses", '<a href="y">x</a>'.repeat(200_000)],
  ])("a page of nothing but %s is cut", async (_, html) => {
    const long = new URL(`https://site.example/${"x".repeat(400)}/`);
    const { cut, text } = await toReadableText(html, long, never);
    expect(cut).toBe(true);
    expect(text.length).toBeLessThan(10_000_000);
  });

  test("law: whatever the source, it ends in text without tags that it opened", async () => {
    const piece = fc.oneof(
      fc.constantFrom("<p>", "</p>", "<a href='/x'>", "</a>", "<pre>", "</pre>", "<main>", "</main>", "<li>", "<ol>"),
      fc.constantFrom(
        "</ol>",
        "<td>",
        "<script>",
        "</script>",
        "<!--",
        "-->",
        "<h2>",
        "</h2>",
        "&amp;",
        "&#x",
        "<",
        ">",
      ),
      fc.string({ maxLength: 5 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 40 }), async (pieces) => {
        expect(await read(pieces.join(""))).not.toMatch(/<\/?(?:p|pre|main|li|ol|td|h2)>/);
      }),
    );
  });
});
