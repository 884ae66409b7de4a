import { expect, test } from "vitest";
import { createWorkspace } from "../../test/support/config-workspace.ts";
import { withGuards } from "./with-guards.ts";

const load = (filters: string, env: Record<string, string> = {}) =>
  createWorkspace({ user: `filters:\n  - ${filters}\n` })
    .load({}, env)
    .then(
      (config) => config,
      (error: Error) => error.message,
    );

test.each([
  ["{ kinds: [cards] }", /config\.yaml:2: filters\[0\]\.kinds\[0\].*cards/],
  ["{ pattern: 'a' }", /config\.yaml:2: .*needs a "name"/],
  ["{ name: Bad Name, pattern: 'a' }", /lower-case letters, digits and hyphens/],
  ["{ name: own, pattern: '(a' }", /config\.yaml:2: the pattern of the filter "own" cannot be read/],
  ["{ name: own, pattern: '(?=a)' }", /look-around and back-references are not supported/],
  ["{ name: own, pattern: 'a', kinds: [card] }", /pattern/],
  ["{ name: own, judge: { url: 'http://example.com', secret: x } }", /must begin with https:/],
  ["{ name: own, judge: { url: 'https://example.com' } }", /secret/],
  ["{ name: own, do: block, judge: { url: 'https://example.com', secret: x } }", /leave "do" out/],
])("%s is refused with its place", async (filter, message) => {
  expect(await load(filter)).toMatch(message);
});

test("a judge whose variables are not set stays, and says that it cannot be asked", async () => {
  const config = await load("{ name: own, judge: { url: 'https://example.com', secret: '${NO}' } }");
  if (typeof config === "string") throw new Error(config);
  expect(config.filters[0]?.judge).toMatchObject({ isUnset: true, onFailure: "block" });
  expect(config.notices.map(({ text }) => text)).toContain("a filter's judge cannot be asked: ${NO} is not set");
});

test("filters of all layers count; a project's wait for trust", async () => {
  const filter = (kind: string) => `filters: [{ kinds: [${kind}] }]`;
  const files = { policy: filter("card"), user: filter("email"), "toolcrib.yaml": filter("iban") };
  const config = await createWorkspace(files).load();
  expect(config.filters.map(({ kinds }) => kinds?.[0]).sort()).toEqual(["card", "email"]);
  expect(config.trust.items).toMatchObject([{ what: "filter" }]);
});

test("a program with options of its own keeps the filters of the configuration that it found", async () => {
  const found = await createWorkspace({ user: "filters: [{ kinds: [card] }]" }).load();
  const own = await createWorkspace().load();
  expect(withGuards(own, { config: found, brings: "nothing" }).filters).toEqual(found.filters);
});
