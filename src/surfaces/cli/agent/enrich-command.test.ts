import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createMachine, runCli } from "../../../../test/support/run-cli.ts";
import { tempWorkspace } from "../../../../test/support/temp-workspace.ts";

const DOCUMENT = `openapi: 3.0.0
info: { title: t, version: "1" }
paths:
  /o: { put: { operationId: order_upsert, summary: Creates or modifies an order record., responses: {} } }
  /v: { post: { operationId: order_void, summary: Voids an order., responses: {} } }
  /s: { get: { operationId: slot_query, summary: Returns pickup slots., responses: {} } }
`;

/** A person with two APIs that nobody has requests for, and a model that plays a script. */
function createPerson(replies: readonly object[], settings = "") {
  const script = JSON.stringify({ replies });
  const user = `${settings}openapi:\n  bakery: { spec: ~/bakery.yaml, baseUrl: "https://bakery.example" }\n  cafe: { spec: ~/bakery.yaml, baseUrl: "https://cafe.example" }\nbuiltins: off\n`;
  const { cwd, home, write } = createMachine({ user, "script.json": script });
  write("../bakery.yaml", DOCUMENT);
  const file = join(home, ".local", "state", "toolcrib", "requests.jsonl");
  const cli = (...argv: readonly string[]) => runCli(argv, { cwd, env: { HOME: home } });
  const enrich = (...argv: readonly string[]) => cli("enrich", "--model", "scripted:script.json", ...argv);
  const written = () =>
    existsSync(file)
      ? readFileSync(file, "utf8")
          .trimEnd()
          .split("\n")
          .filter(Boolean)
          .map((line) => JSON.parse(line).tool)
      : [];
  return { cli, enrich, written, file, home, cwd };
}

const REPLY = {
  text: JSON.stringify({ 1: ["two loaves of rye please"], 2: ["never mind the cake"], 3: ["when may I come by"] }),
};

test("says what it would take, asks, writes, and search finds by it until it is removed", async () => {
  const { cli, enrich, written, file } = createPerson([REPLY, REPLY]);
  const dry = await enrich("--dry-run");
  expect(dry.out).toContain("6 tools have no example requests: bakery (3), cafe (3).");
  expect(dry.out).toMatch(/would be asked 2 times, .*: about \d+ tokens in and 504 out, about \$0\.0000\./);
  expect(dry.out).toContain("Nothing was asked.");
  const unasked = await enrich();
  expect([unasked.status, unasked.err.includes("--yes"), written()]).toEqual([2, true, []]);
  const { out, err, status } = await enrich("--yes");
  expect(status).toBe(0);
  expect(out).toContain("Wrote requests for 6 tools");
  expect(err).toContain("3 of 6 tools\n6 of 6 tools");
  expect(statSync(file).mode & 0o077).toBe(0);
  expect((await cli("search", "never mind the cake")).out).toContain("bakery/order_void");
  expect((await enrich("--yes")).out).toContain("Every tool has requests already");
  expect((await cli("enrich", "cafe", "bakery/order_void", "--remove")).out).toContain(
    "Removed the requests of 4 tools.",
  );
  expect(written()).toEqual(["bakery/order_upsert", "bakery/slot_query"]);
  expect((await cli("enrich", "--remove", "--json")).out).toContain('"tools":2');
  expect(written()).toEqual([]);
});

test("--dry-run says what a model would cost without its key", async () => {
  const { cli } = createPerson([]);
  const model = ["--model", "anthropic/claude-sonnet-4-5"];
  const { out, status } = await cli("enrich", "--dry-run", ...model);
  expect(status).toBe(0);
  expect(out).toMatch(/would be asked 2 times, .*, about \$0\.\d+\.\nNothing was asked\./s);
  expect((await cli("enrich", "--yes", ...model)).err).toContain("anthropic needs a key: set ANTHROPIC_API_KEY");
  expect((await cli("enrich", "--dry-run", "--model", "nobody/knows")).err).toContain("no provider is known for");
});

test("only the tools that are named, and what is done stays when the model fails", async () => {
  const named = createPerson([{ text: '{"1": ["never mind the cake"]}' }]);
  expect((await named.enrich("cafe/order_void", "--yes")).out).toContain("Wrote requests for 1 tool;");
  expect(named.written()).toEqual(["cafe/order_void"]);
  const failing = createPerson([REPLY, { error: { status: 500 } }]);
  const { status, err } = await failing.enrich("--yes");
  expect([status, failing.written().length]).toEqual([3, 3]);
  expect(err).toContain("requests for 3 of 6 tools are written and stay; run it again for the rest");
});

test("a model that answers with something else has written nothing, and that is a failure", async () => {
  const { cli, enrich, written } = createPerson([
    { text: "Hello." },
    { text: '{"bakery/order_void": ["never mind"]}' },
  ]);
  const { status, out } = await enrich("--yes");
  expect([status, written()]).toEqual([1, []]);
  expect(out).toContain("No requests were written: nothing usable came for 6: bakery/order_upsert,");
  expect(out).toContain("has to answer with one JSON object");
  expect((await cli("enrich", "--remove")).out).toBe("There are no such requests.\n");
});

test("Ctrl-C keeps what is done", async () => {
  const { written, cwd, home } = createPerson([REPLY, { text: "never read", cut: true }]);
  let interrupt: (() => unknown) | null = null;
  let said = "";
  const stopped = new Promise<void>((resolve) => {
    void runCli(["enrich", "--model", "scripted:script.json", "--yes"], {
      cwd,
      env: { HOME: home },
      onInterrupt: (listener) => {
        interrupt = listener;
        return () => {};
      },
      onErr: (text) => {
        said += text;
        if (text.startsWith("3 of 6")) interrupt?.();
        if (text.includes("stopped")) resolve();
      },
    });
  });
  await stopped;
  expect(said).toContain("stopped: requests for 3 of 6 tools are written and stay");
  expect(written()).toHaveLength(3);
});

test("where a store is configured, requests are in it for every machine, and those of the file are taken over once", async () => {
  const { base } = tempWorkspace();
  const store = `store: { url: "sqlite:${join(base, "shared.db")}" }\n`;
  const first = createPerson([REPLY, REPLY]);
  expect((await first.enrich("bakery/order_void", "--yes")).out).toContain("Wrote requests for 1 tool;");
  const kept = readFileSync(first.file, "utf8");
  writeFileSync(join(first.home, ".config", "toolcrib", "config.yaml"), store, { flag: "a" });
  expect((await first.cli("search", "two loaves of rye please")).out).toContain("bakery/order_void");
  expect((await first.enrich("cafe", "--yes")).out).toContain("Wrote requests for 3 tools;");
  expect(readFileSync(first.file, "utf8")).toBe(kept);

  const second = createPerson([], store);
  const found = () => second.cli("search", "never mind the cake");
  expect((await found()).out).toContain("cafe/order_void");
  expect((await second.cli("enrich", "--remove")).out).toContain("Removed the requests of 4 tools.");
  expect((await found()).out).not.toContain("order_void");
  expect((await first.cli("search", "two loaves of rye please")).out).not.toContain("bakery/order_void");
});
