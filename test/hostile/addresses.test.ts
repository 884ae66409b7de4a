import { describe, expect, test } from "vitest";
import { buildCatalog } from "../../src/core/catalog/catalog.ts";
import { defaultOrigin, sourced } from "../../src/core/codes/origin.ts";
import { parseRule } from "../../src/core/rules/rule.ts";
import type { Mode } from "../../src/core/scene/scene.ts";
import { createRuleBook } from "../../src/runtime/permissions/rule-book.ts";
import { BUILTIN_TOOLS } from "../../src/sources/builtin/definitions.ts";
import { createWebFamily } from "../../src/sources/builtin/web/web-family.ts";
import { makeHost, makeRun } from "../support/builtin-host.ts";
import { serveLoopback, testReach } from "../support/loopback-web.ts";
import { decideSubject, type Lists } from "./shell-world.ts";

describe("another spelling of a denied address is denied too, and of an allowed one not allowed", () => {
  test.each([
    ["url(https://a.example/x/*)", "https://a.example/x/y", "http://a.example/x/y"],
    ["url(https://a.example/x/*)", "https://a.example/x/", "https://a.example:8443/x/y"],
    ["url(https://a.example/x/*)", "https://a.example/x/y", "https://a.example/%78/y"],
    ["url(https://a.example/x/*)", "https://a.example/x/y", "https://a.example//x/y"],
    ["url(https://a.example/x/*)", "https://a.example/x/y", "https://a.example/b/%2e%2E/x/y"],
    ["url(https://a.example/x/*)", "https://a.example/x/y", "https://a.example/b%2f..%2fx/y"],
  ])("%s: %s, %s", (rule, plain, other) => {
    const decision = (url: string, lists: Lists) => decideSubject({ kind: "url", url }, lists).decision;
    expect([decision(plain, { deny: [rule] }), decision(other, { deny: [rule] })]).toEqual(["deny", "deny"]);
    expect(decision(plain, { allow: [rule] })).toBe("allow");
    expect(decision(other, { allow: [rule] })).toBe(other.includes("%2e%2E") ? "allow" : "ask");
  });

  test.each([
    ["domain:b\u00fccher.example", "https://b\u00fccher.example/"],
    ["domain:b\u00fccher.example", "https://xn--bcher-kva.example/"],
    ["domain:*.b\u00fccher.example", "https://a.xn--bcher-kva.example/"],
    ["domain:a.example", "https://A.EXAMPLE./"],
    ["domain:a.example", "https://user:password@a.example:1/"],
  ])("%s: %s", (rule, url) => {
    expect(decideSubject({ kind: "url", url }, { deny: [`WebFetch(${rule})`] }).decision).toBe("deny");
  });
});

describe("a redirect leads nowhere that rules would not let the call go by itself", () => {
  /** Fetches a page of one host that redirects to another, under these rules. */
  async function redirected(lists: Lists, to: string, mode: Mode = "default") {
    const server = await serveLoopback((request, response) => {
      const place = to.replace("PORT", String(server.port));
      if (request.url === "/") response.writeHead(302, { location: place }).end();
      else response.writeHead(200, { "content-type": "text/plain" }).end("arrived");
    });
    const [entry] = buildCatalog(BUILTIN_TOOLS).entries.filter(({ wireName }) => wireName === "web_fetch");
    if (entry === undefined) throw new Error("no web_fetch");
    const read = (texts: readonly string[] = []) =>
      texts.map((text) => sourced(parseRule(text, defaultOrigin), defaultOrigin));
    const setting = {
      lists: { deny: read(lists.deny), ask: read(lists.ask), allow: read(lists.allow) },
      ...{ mode: sourced(mode, defaultOrigin), workspace: "/w", added: [], home: "/h", revision: {} },
      ...{ means: (identifier: string) => identifier === "web_fetch", names: () => 1 },
    };
    const none = { grants: [], refresh: async () => {}, add: async () => {}, revoke: async () => false };
    const book = createRuleBook({ rules: () => setting, grants: () => none, isTrusted: () => true, today: () => 0 });
    const args = { url: `http://a.public.test:${server.port}/` };
    const call = { id: "c", toolName: "web_fetch", arguments: args };
    const ruled = { call, entry, tool: entry.tool, args };
    const { mayFetch } = (await book.rule(ruled)).reach(ruled);
    const handler = createWebFamily(testReach()).handlers.get("web_fetch");
    const result = await handler?.(
      args,
      { ...makeRun(), ...(mayFetch === undefined ? {} : { mayFetch }) },
      makeHost(null),
    );
    return { text: result?.textResultForLlm ?? "", requests: server.requests.map(({ url }) => url) };
  }
  const ELSEWHERE = "http://b.public.test:PORT/page";

  test.each<[string, Lists, string, Mode?]>([
    ["the rule allows only the first host", { allow: ["WebFetch(domain:a.public.test)"] }, ELSEWHERE],
    ["a person agreed to the first address", {}, ELSEWHERE],
    ["a person agreed to one port of the host", {}, "http://a.public.test:1/page"],
    ["a rule denies the second host", { allow: ["WebFetch"], deny: ["WebFetch(domain:b.public.test)"] }, ELSEWHERE],
    ["so it does in bypass mode", { deny: ["WebFetch(domain:b.public.test)"] }, ELSEWHERE, "bypass"],
    ["a rule asks about the second host", { allow: ["WebFetch"], ask: ["WebFetch(domain:b.public.test)"] }, ELSEWHERE],
    ["a rule denies the page of the same host", { deny: ["url(http://a.public.test/page)"] }, "/page"],
  ])("%s", async (_, lists, to, mode) => {
    const { text, requests } = await redirected(lists, to, mode);
    expect(text).toContain("which was not followed");
    expect(requests).toEqual(["/"]);
  });

  test.each<[string, Lists, string, Mode?]>([
    ["the same host", {}, "/page"],
    ["a host that a rule allows", { allow: ["WebFetch(domain:*.public.test)"] }, ELSEWHERE],
    ["any host, where all are allowed", { allow: ["WebFetch"] }, ELSEWHERE],
    ["any host in bypass mode", {}, ELSEWHERE, "bypass"],
  ])("%s is followed", async (_, lists, to, mode) => {
    expect((await redirected(lists, to, mode)).text).toContain("arrived");
  });
});

describe("an approval of one port", () => {
  const isAllowed = (url: string, rule: string) =>
    decideSubject({ kind: "url", url }, { allow: [rule] }).decision === "allow";

  test.each([
    ["http://127.0.0.1:3000/*", "http://127.0.0.1:3000/", "http://127.0.0.1:4000/"],
    ["http://127.0.0.1:3000/*", "http://127.0.0.1:3000/a/b?c=d", "http://127.0.0.1/a/b?c=d"],
    ["http://localhost/*", "http://localhost/a", "http://localhost:8080/a"],
    ["https://docs.test:8443/*", "https://docs.test:8443/a", "https://docs.test/a"],
    ["http://localhost:3000/*", "http://LOCALHOST:3000/a", "https://localhost:3000/a"],
  ])("%s is for %s and not for %s", (address, own, other) => {
    expect(isAllowed(own, `WebFetch(${address})`)).toBe(true);
    expect(isAllowed(other, `WebFetch(${address})`)).toBe(false);
  });
});
