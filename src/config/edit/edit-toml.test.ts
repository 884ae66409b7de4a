import { describe, expect, test } from "vitest";
import { withoutTable, withTable } from "./edit-toml.ts";

const ENTRY = { command: "toolcrib", args: ["connect"] };
const TABLE = '[mcp_servers.toolcrib]\ncommand = "toolcrib"\nargs = [ "connect" ]\n';

describe("a table in TOML", () => {
  test.each([
    ["", TABLE],
    ["a = 1", `a = 1\n\n${TABLE}`],
    ["# only this\n", `# only this\n\n${TABLE}`],
    ['[mcp_servers.b]\ncommand = "x"\n', `[mcp_servers.b]\ncommand = "x"\n\n${TABLE}`],
  ])("goes behind what is there, and away without a trace: %j", async (text, expected) => {
    const after = await withTable(text, "mcp_servers", "toolcrib", ENTRY);
    expect(after).toBe(expected);
    const back = await withoutTable(after ?? "", "mcp_servers", "toolcrib");
    expect(back).toBe(text === "a = 1" ? "a = 1\n" : text);
  });

  test("is replaced where it stands, with its subtables, and what is around it stays", async () => {
    const old = '[mcp_servers."toolcrib"] # ours\ncommand = "old"\n[mcp_servers.toolcrib.env]\nA = "1"\n';
    const [front, back] = ["# front\na = 1\n\n", "\n# about b\n[b]\nc = 2\n"];
    const after = await withTable(front + old + back, "mcp_servers", "toolcrib", ENTRY);
    expect(after).toBe(front + TABLE + back);
    expect(await withoutTable(front + old + back, "mcp_servers", "toolcrib")).toBe(`# front\na = 1\n${back}`);
  });

  test("a comment at the end of the file stays where the table before it goes", async () => {
    const text = `${TABLE}# the end\n`;
    expect(await withoutTable(text, "mcp_servers", "toolcrib")).toBe("# the end\n");
  });

  test("lines end as the others do", async () => {
    const after = await withTable("a = 1\r\n", "mcp_servers", "toolcrib", ENTRY);
    expect(after).toBe(`a = 1\r\n\r\n${TABLE.replaceAll("\n", "\r\n")}`);
    expect(await withoutTable(after ?? "", "mcp_servers", "toolcrib")).toBe("a = 1\r\n");
  });

  test.each([
    "a = \n",
    'mcp_servers = "none"\n',
    'mcp_servers = { toolcrib = { command = "x" } }\n',
    'mcp_servers.toolcrib.command = "x"\n',
    'text = """\n[mcp_servers.toolcrib]\n"""\n',
  ])("is refused where it would change something else: %j", async (text) => {
    const after = await withTable(text, "mcp_servers", "toolcrib", ENTRY);
    expect(after).toBe(null);
  });
});
