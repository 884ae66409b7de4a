import { expect, test } from "vitest";
import { aWorld } from "../fixtures/builders.ts";

const chain = (depth: number) => [
  ...Array.from({ length: depth }, (_, at) => ({ id: `i${at}`, name: `s${at}`, members: [`s${at + 1}`] })),
  { id: "last", name: `s${depth}`, members: ["bash"] },
];

test("a deny rule reaches a tool however deep the sets are nested, and circles hold what they reach", () => {
  const tools = [{ name: "bash" }, { name: "view" }];
  expect(aWorld({ tools, toolsets: chain(2_000), options: { permissions: { deny: ["s0"] } } }).visible).toEqual([
    "view",
  ]);
  const circle = [
    { id: "a", name: "a", members: ["b"] },
    { id: "b", name: "b", members: ["a/*", "bash"] },
  ];
  expect(aWorld({ tools, toolsets: circle, options: { permissions: { deny: ["a"] } } }).visible).toEqual(["view"]);
});

test("a member that names one tool of another set means that tool alone", () => {
  const tools = [{ name: "bash" }, { name: "view" }, { name: "grep" }];
  const toolsets = [
    { id: "all", name: "all", members: ["bash", "view"] },
    { id: "some", name: "some", members: ["all/bash"] },
  ];
  expect(aWorld({ tools, toolsets, options: { excludeTools: ["some"] } }).visible).toEqual(["grep", "view"]);
});

test("a star in the host of a policy address never reaches into the path (G7)", () => {
  const tools = [
    { name: "a", source: "mcp", server: "good" },
    { name: "b", source: "mcp", server: "evil" },
    { name: "c", source: "mcp", server: "other" },
  ];
  const servers = {
    good: { url: "https://tools.corp.com/mcp" },
    evil: { url: "https://evil.com/.corp.com/x" },
    other: { url: "https://tools.corp.com.evil.com/mcp" },
  };
  const policy = { allowedMcpServers: [{ serverUrl: "https://*.corp.com/*" }] };
  expect(aWorld({ tools, options: { servers, policy } }).visible).toEqual(["good__a"]);
});

test.each([
  ["https://evil.example/*", "https://evil.example./mcp"],
  ["https://evil.example:8443/*", "https://EVIL.example.:8443/mcp"],
  ["https://*.evil.example/*", "https://a.evil.example./mcp"],
  ["https://b\u00f6se.example/*", "https://b\u00f6se.example/mcp"],
  ["https://b\u00f6se.example/*", "https://xn--bse-sna.example/mcp"],
])("policy about %s knows %s (G7)", (serverUrl, url) => {
  const tools = [{ name: "a", source: "mcp", server: "s" }, { name: "view" }];
  const options = { servers: { s: { url } }, policy: { deniedMcpServers: [{ serverUrl }] } };
  expect(aWorld({ tools, options }).visible).toEqual(["view"]);
});

test("a tool that comes later under the alias of a denied one does not set it free", () => {
  const tools = [{ name: "execute", aliases: ["shell"] }, { name: "view" }];
  const late = { name: "shell", source: "external", inputSchema: { type: "object" } };
  for (const options of [{ permissions: { deny: ["shell"] } }, { policy: { deniedTools: ["shell"] } }]) {
    expect(aWorld({ tools, options }).visible).toEqual(["view"]);
    expect(aWorld({ tools: [...tools, late], options }).visible).toEqual(["view"]);
  }
});

test("denying a built-in's name still does not reach a server's own tool of that name (I1)", () => {
  const tools = [{ name: "view" }, { name: "view", source: "mcp", server: "files" }, { name: "grep" }];
  expect(aWorld({ tools, options: { permissions: { deny: ["view"] } } }).visible).toEqual(["grep", "files__view"]);
});
