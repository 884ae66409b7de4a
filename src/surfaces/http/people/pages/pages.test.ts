import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { createCookies, formToken, isFormToken } from "./cookies.ts";
import { html } from "./html.ts";
import { readQuery } from "./read-form.ts";

const asking = (headers: Record<string, string>, url = "/") => ({ headers, url }) as unknown as IncomingMessage;

test("no value becomes a tag or leaves its attribute", () => {
  const name = `"><script>alert('x')</script>&`;
  const item = html`<li title="${name}">${name}</li>`;
  expect(item.html).toBe(
    '<li title="&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;">&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;</li>',
  );
  expect(html`<ul>${[item, html`<li>${2}</li>`]}</ul>${null}`.html).toBe(`<ul>${item.html}<li>2</li></ul>`);
});

test("a cookie is for this host alone where there is TLS, and one of two is none", () => {
  const cookies = createCookies("https://tools.example.com");
  expect(cookies.set("session", "abc", 60)).toBe(
    "__Host-toolcrib=abc; Max-Age=60; Path=/; HttpOnly; SameSite=Lax; Secure",
  );
  expect(cookies.clear("login")).toMatch(/^__Host-toolcrib-login=; Max-Age=0; /);
  expect(cookies.read(asking({ cookie: "a=b; __Host-toolcrib=abc" }), "session")).toBe("abc");
  expect(cookies.read(asking({ cookie: "__Host-toolcrib=abc; __Host-toolcrib=def" }), "session")).toBeNull();
  expect(cookies.read(asking({ cookie: "toolcrib=abc; x__Host-toolcrib=abc" }), "session")).toBeNull();
  expect(cookies.read(asking({}), "session")).toBeNull();
  const local = createCookies("http://127.0.0.1:8787");
  expect(local.set("session", "abc", 60)).toBe("toolcrib=abc; Max-Age=60; Path=/; HttpOnly; SameSite=Lax");
});

test("a form's token belongs to one cookie", () => {
  expect(isFormToken(formToken("abc"), "abc")).toBe(true);
  for (const given of [formToken("abd"), "", undefined, `${formToken("abc")}x`])
    expect(isFormToken(given, "abc")).toBe(false);
});

test("a parameter that comes twice is refused, and one without a value is empty", () => {
  expect(readQuery(asking({}, "/login?a=1&b=&c=%20x"))).toEqual(
    new Map([
      ["a", "1"],
      ["b", ""],
      ["c", " x"],
    ]),
  );
  expect(readQuery(asking({}, "/login"))).toEqual(new Map());
  expect(() => readQuery(asking({}, "/login?a=1&a=1"))).toThrow('"a" is given twice');
});
