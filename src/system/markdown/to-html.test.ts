import fc from "fast-check";
import { Parser } from "htmlparser2";
import { describe, expect, test } from "vitest";
import { markdownToHtml } from "./to-html.ts";

describe("Markdown becomes HTML", () => {
  test.each([
    ["# Title #", "<h3>Title</h3>"],
    ["one\ntwo\n\nthree", "<p>one<br>two</p>\n<p>three</p>"],
    ["**bold *both*** and _thin_", "<p><strong>bold <em>both</em></strong> and <em>thin</em></p>"],
    ["~~gone~~ snake_case_name 2 * 3 * 4", "<p><s>gone</s> snake_case_name 2 * 3 * 4</p>"],
    ["`a < b` and ``a ` b``", "<p><code>a &lt; b</code> and <code>a ` b</code></p>"],
    ["```ts\nconst a = `x`;\n\tif\n```", "<pre><code>const a = `x`;\n\tif</code></pre>"],
    ["```\nnever closed", "<pre><code>never closed</code></pre>"],
    ["> said\n> twice", "<blockquote><p>said<br>twice</p></blockquote>"],
    ["3. three\n4. four", '<ol start="3"><li>three</li><li>four</li></ol>'],
    ["- a\n  - b\n- c\n\ntext", "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>\n<p>text</p>"],
    ["---", "<hr>"],
    [
      "| a | b |\n|---|--:|\n| 1 | x\\|y |",
      "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>x|y</td></tr></table>",
    ],
    [
      "[here](https://example.com/a?b=1&c)",
      '<p><a href="https://example.com/a?b=1&amp;c" rel="noopener noreferrer nofollow">here</a> <small>(https://example.com/a?b=1&amp;c)</small></p>',
    ],
    [
      "See https://example.com/a_b_c.",
      '<p>See <a href="https://example.com/a_b_c" rel="noopener noreferrer nofollow">https://example.com/a_b_c</a>.</p>',
    ],
    ["\\*as it is\\*", "<p>*as it is*</p>"],
  ])("%j", (text, html) => {
    expect(markdownToHtml(text)).toBe(html);
  });
});

/** Every element with its attributes, as a browser would find them. */
function elementsOf(html: string): readonly { readonly name: string; readonly attributes: Record<string, string> }[] {
  const found: { name: string; attributes: Record<string, string> }[] = [];
  const parser = new Parser({ onopentag: (name, attributes) => found.push({ name, attributes }) });
  parser.end(html);
  return found;
}

const OURS = new Set("p br h3 h4 h5 h6 pre code blockquote ul ol li table tr th td hr strong em s small a".split(" "));

function offencesIn(html: string): readonly string[] {
  return elementsOf(html).flatMap(({ name, attributes }) => {
    if (!OURS.has(name)) return [`<${name}>`];
    const { href = "https:", rel = "", start = "1", ...others } = attributes;
    const isLink = name === "a" && rel === "noopener noreferrer nofollow" && /^(?:https?|mailto):/.test(href);
    const isList = name === "ol" && /^\d+$/.test(start);
    const odd = Object.keys(others).map((key) => `${name} ${key}`);
    return isLink || isList || Object.keys(attributes).length === 0
      ? odd
      : [...odd, `<${name} ${JSON.stringify(attributes)}>`];
  });
}

/** What tries to become more than text, each part on its own and in each place that Markdown has. */
const ATTACKS = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "<style>*{display:none}</style>",
  '<a href="javascript:alert(1)">x</a>',
  "<svg/onload=alert(1)>",
  "<!--",
  "</pre></code></main><h1>",
  "[x](javascript:alert(1))",
  "[x](JaVaScRiPt&#58;alert(1))",
  "[x](java\tscript:alert(1))",
  "[x](data:text/html,<script>alert(1)</script>)",
  "[x](vbscript:x)",
  "[x](file:///etc/passwd)",
  "[x](//evil.example)",
  '[x](https://e.example/"onmouseover="alert(1))',
  "[x](https://e.example/ \"t' onclick='alert(1)\")",
  "[<img src=x onerror=alert(1)>](https://e.example)",
  "![x](https://e.example/track.png)",
  "![x](data:image/svg+xml;base64,AAAA)",
  'https://e.example/"><script>alert(1)</script>',
  '<https://e.example/"onfocus=alert(1)>',
  '```"><script>\n</code></pre><script>alert(1)</script>\n```',
  "`</code><script>alert(1)</script>`",
  "<p style=position:fixed>",
  "&lt;script&gt;",
  "**<b onclick=x>**",
  "a\u202eb\u200b\u0000",
];
const AROUND = [
  "@",
  "# @",
  "> @",
  "- @",
  "1. @",
  "**@**",
  "`@`",
  "[@](https://e.example)",
  "| @ | b |\n|---|---|\n| @ | @ |",
];

describe("text never becomes a tag, an attribute or an address that runs", () => {
  test.each(ATTACKS)("%j", (attack) => {
    for (const around of AROUND) expect(offencesIn(markdownToHtml(around.replaceAll("@", () => attack)))).toEqual([]);
  });

  test("whatever is put together of them", () => {
    const piece = fc.oneof(
      fc.constantFrom(...ATTACKS, ...AROUND, "\n", "\n\n", "  ", "[", "](", ")", "*", "_", "`", "<", '"'),
      fc.string(),
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 12 }),
        (pieces) => offencesIn(markdownToHtml(pieces.join(""))).length === 0,
      ),
    );
  });

  test("what is invisible is written out, and a link shows where it leads", () => {
    expect(markdownToHtml("a\u202eb\u200b")).toBe("<p>a\\u{202e}b\\u{200b}</p>");
    expect(markdownToHtml("[https://bank.example](https://bank.example@evil.example)")).toContain(
      "<small>(https://bank.example@evil.example)</small>",
    );
    expect(markdownToHtml("[x](javascript:alert(1))")).toBe("<p>x <small>(javascript:alert(1))</small></p>");
  });
});

test.each(["[", "](", "*a ", "**a", "_a *b ", "`", "> ", "- ", "#", "![a](", "|", "~~a", "1. - > "])(
  "twenty thousand of %j are done in time that grows no faster than they do",
  (piece) => {
    const cost = (count: number): number => {
      const text = piece.repeat(count);
      const before = process.cpuUsage();
      markdownToHtml(text);
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    cost(1_000);
    const [small, large] = [cost(2_000), cost(20_000)];
    // Ten times as much; a hundred times would be quadratic. The rest is for a machine that is busy.
    expect(large).toBeLessThan(Math.max(200_000, small * 40));
  },
);
