import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Progress } from "@modelcontextprotocol/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { openAuditLog } from "../../src/runtime/audit/audit-log.ts";
import { type AuditCall, isCall, readRow } from "../../src/runtime/audit/audit-row.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";
import { connect, textOf } from "./clients.ts";
import { openGateway } from "./world.ts";

const SERVER = fileURLToPath(new URL("../fixtures/clerk-server.mjs", import.meta.url));
const MAIL = "alice@example.com";
const CARD = "4111 1111 1111 1111";

/** A gateway in front of the clerk, under these filters. */
async function withFilters(filters: readonly object[], more: object = {}) {
  const mcpServers = { crm: { command: process.execPath, args: [SERVER] } };
  const path = join(tempWorkspace().project, "audit.jsonl");
  const log = await openAuditLog({ path, onError: () => {} });
  onTestFinished(() => log.close());
  const gateway = await openGateway(
    { mcpServers, permissions: { allow: ["crm/*"] }, toolSearch: "off", filters, ...more },
    { crib: { watch: (view) => log.watch(view) } },
  );
  const { client } = await connect(gateway.url, "modern");
  const call = (name: string, args: object = {}) => client.callTool({ name: `crm__${name}`, arguments: { ...args } });
  const logged = async (): Promise<string> => {
    await log.flush();
    return readFileSync(path, "utf8");
  };
  const rows = async () => (await logged()).split("\n").flatMap(readCall);
  return { ...gateway, client, call, logged, rows };
}

function readCall(line: string): readonly AuditCall[] {
  const row = readRow(line);
  return row !== null && isCall(row) ? [row] : [];
}

describe("arguments", () => {
  test("are masked before the server, the log and people see them, and still fit the tool", async () => {
    const { call, rows } = await withFilters([{ kinds: ["email", "card"], on: ["arguments"] }]);
    expect(textOf(await call("say", { text: `mail ${MAIL}, pay with ${CARD}` }))).toBe(
      'You said {"text":"mail [masked: email], pay with [masked: card]"}',
    );
    // An address is what this tool takes.
    expect(textOf(await call("mail", { to: MAIL }))).toBe('You said {"to":"xxxxx@xxxxxxx.xxx"}');
    const [first, second] = await rows();
    expect(first?.arguments).toEqual({ text: "mail [masked: email], pay with [masked: card]" });
    expect(first?.filtered).toEqual([
      { on: "arguments", kind: "email", count: 1, act: "mask", origin: expect.stringMatching(/config\.yaml:1$/) },
      { on: "arguments", kind: "card", count: 1, act: "mask", origin: expect.stringMatching(/config\.yaml:1$/) },
    ]);
    expect(second?.arguments).toEqual({ to: "xxxxx@xxxxxxx.xxx" });
  });

  test("that are blocked refuse the call, and no log says what they were", async () => {
    const own = { name: "customer-number", pattern: "KD-[0-9]{6}", do: "block", on: ["arguments"] };
    const { call, rows, logged } = await withFilters([own, { kinds: ["card"], do: "block" }]);
    const refused = await call("say", { text: `KD-123456 and KD-654321 pay with ${CARD}` });
    expect(refused.isError).toBe(true);
    expect(textOf(refused)).toBe(
      "The call did not run: its arguments contain customer-number (2 times), card. Leave that out, and call it again if it makes sense without. [filter.blocked]",
    );
    expect(await rows()).toMatchObject([
      {
        result: "denied",
        arguments: { text: "[masked: customer-number] and [masked: customer-number] pay with [masked: card]" },
        filtered: [
          { kind: "customer-number", count: 2, act: "block" },
          { kind: "card", count: 1, act: "block" },
        ],
      },
    ]);
    // Neither do calls that never got that far.
    await call("nothing_of_that_name", { text: "KD-123456" }).catch(() => {});
    expect(await logged()).not.toMatch(/KD-\d|4111/);
  });

  test("are only counted by a filter that notes", async () => {
    const { call, rows } = await withFilters([{ kinds: ["email"], do: "note", on: ["arguments"] }]);
    expect(textOf(await call("say", { text: MAIL }))).toContain(MAIL);
    expect((await rows())[0]?.filtered).toMatchObject([{ kind: "email", count: 1, act: "note" }]);
  });

  test("are looked at for the tools that a filter names, and not for those that it leaves out", async () => {
    const { call } = await withFilters([
      { kinds: ["email"], do: "block", tools: ["crm/*"], except: ["crm/mail"] },
      { kinds: ["card"], do: "block", tools: ["other/*"] },
    ]);
    expect(textOf(await call("mail", { to: MAIL }))).toContain(MAIL);
    expect(textOf(await call("say", { text: MAIL }))).toContain("[filter.blocked]");
    expect(textOf(await call("say", { text: CARD }))).toContain(CARD);
  });

  test("that a hook changed are looked at again", async () => {
    const script = `process.stdout.write(JSON.stringify({modifiedArgs:{text:"from the hook: ${MAIL}"}}))`;
    const hooks = { preToolUse: [{ command: process.execPath, args: ["-e", script] }] };
    const { call } = await withFilters([{ kinds: ["email"], on: ["arguments"] }], { hooks });
    expect(textOf(await call("say", { text: "x" }))).toBe('You said {"text":"from the hook: [masked: email]"}');
  });
});

describe("results", () => {
  test("are masked wherever they say it, and data stays valid against its schema", async () => {
    const { call, rows } = await withFilters([{ kinds: ["email", "card"], on: ["results"] }]);
    const { structuredContent, content, isError } = await call("customer");
    expect(isError).not.toBe(true);
    // The address and the number have forms to keep.
    expect(structuredContent).toEqual({
      mail: "xxxxx@xxxxxxx.xxx",
      card: "0000 0000 0000 0000",
      note: "write to xxxxx@xxxxxxx.xxx",
    });
    expect(JSON.stringify(content)).not.toMatch(/alice|4111/);
    expect((await rows())[0]?.filtered).toMatchObject([
      { on: "results", kind: "email", count: 2, act: "mask" },
      { on: "results", kind: "card", count: 1, act: "mask" },
    ]);
  });

  test("nested so deep that they are not looked at are left out, also where nothing else is found", async () => {
    const { call } = await withFilters([{ kinds: ["email"], on: ["results"] }]);
    const result = await call("deep");
    expect(textOf(result)).toBe("done");
    expect(JSON.stringify(result)).not.toContain("alice");
  });

  test("keep pictures and files as they are", async () => {
    const { call } = await withFilters([{ kinds: ["email", "card"] }]);
    const { content, _meta } = await call("letter");
    expect(content).toEqual([
      { type: "text", text: "To [masked: email]" },
      { type: "image", data: "aGVsbG8=", mimeType: "image/png" },
      { type: "resource", resource: { uri: "crm://mail/[masked: email]", text: "card [masked: card]" } },
      { type: "resource", resource: { uri: "crm://photo", blob: "aGVsbG8=", mimeType: "image/png" } },
    ]);
    expect(_meta).toMatchObject({ from: "[masked: email]" });
  });

  test("that could not keep their form are withheld, and so are blocked ones", async () => {
    const { call, logged } = await withFilters([
      { kinds: ["email"], on: ["results"] },
      { kinds: ["card"], do: "block", on: ["results"] },
    ]);
    expect(textOf(await call("coded"))).toBe(
      "The tool ran, but its result is withheld: it contains email, and without them it would not be what the tool promises. Do without it; calling again gives the same. [filter.withheld]",
    );
    expect(textOf(await call("letter"))).toMatch(/^The tool ran, but its result is withheld: it contains card\./);
    const broken = await call("broken");
    expect(textOf(broken)).toBe("no [masked: email] here");
    expect(await logged()).not.toMatch(/alice|4111/);
  });

  test("say nothing more while the tool runs", async () => {
    const { client } = await withFilters([{ kinds: ["email"], on: ["results"] }]);
    const said: (string | undefined)[] = [];
    const onprogress = ({ message }: Progress) => void said.push(message);
    await client.callTool({ name: "crm__slow", arguments: {} }, { onprogress });
    expect(said).toEqual(["asking [masked: email]"]);
  });

  test("are as they were where no filter finds anything", async () => {
    const [bare, filtered] = [await withFilters([]), await withFilters([{ kinds: ["iban", "national-id"] }])];
    expect(await filtered.call("letter")).toEqual(await bare.call("letter"));
  });
});

test("prompts and resources pass the filters too", async () => {
  const { client } = await withFilters([
    { kinds: ["email"] },
    { kinds: ["card"], do: "block" },
    { name: "who", pattern: "Bob", do: "block", on: ["arguments"] },
  ]);
  const greet = (who: string) => client.getPrompt({ name: "crm__greet", arguments: { who } });
  expect((await greet("Ben")).messages).toEqual([
    { role: "user", content: { type: "text", text: "Greet Ben at [masked: email]" } },
  ]);
  await expect(greet("Bob")).rejects.toThrow(/filter\.blocked/);
  await expect(client.readResource({ uri: "crm://1" })).rejects.toThrow(/filter\.withheld: it contains card/);
});
