import { describe, expect, test } from "vitest";
import { aWorld } from "../fixtures/builders.ts";

const file = ["read_file", "write_file", "search", "exec", "shell", "delete_file"].map((name) => ({ name }));
const mcp = (server: string, name: string) => ({ name, source: "mcp", server });
const ask = (options: object, tools: readonly object[] = file) => aWorld({ tools, options });

describe("access control", () => {
  test("access-available-tools: only these 3 tools, everything else blocked", () => {
    expect(ask({ availableTools: ["read_file", "write_file", "search"] }).visible).toEqual([
      "read_file",
      "search",
      "write_file",
    ]);
  });

  test("access-excluded-tools: all tools except these 3", () => {
    expect(ask({ excludedTools: ["exec", "shell", "delete_file"] }).visible).toEqual([
      "read_file",
      "search",
      "write_file",
    ]);
  });

  test("access-allow-deny-interaction: availableTools first, then excludedTools removes from that set", () => {
    const options = { availableTools: ["read_file", "exec"], excludedTools: ["exec", "search"] };
    expect(ask(options).visible).toEqual(["read_file"]);
  });

  test("access-allow-deny-interaction: neither means built-in, custom and MCP tools", () => {
    const tools = [...file, mcp("s", "get"), { name: "mine", source: "external", inputSchema: { type: "object" } }];
    expect(ask({}, tools).visible.length).toBe(8);
  });

  test("access-custom-agents: a researcher has its two tools", () => {
    const tools = [...file, { name: "web_search" }, { name: "web_fetch" }];
    const agents = [{ name: "researcher", description: "Web research", tools: ["web_search", "web_fetch"] }];
    expect(ask({ agent: "researcher", agents }, tools).visible).toEqual(["web_fetch", "web_search"]);
  });
});

describe("mcp-tool-filtering", () => {
  const tools = [mcp("github", "create_issue"), mcp("github", "list_issues"), mcp("github", "delete_repo")];

  test("a list keeps only these tools", () => {
    const world = ask({ servers: { github: { tools: ["create_issue", "list_issues"] } } }, tools);
    expect(world.visible).toEqual(["github__create_issue", "github__list_issues"]);
    expect(world.codes("github/delete_repo")).toEqual(["server-filter.not-listed"]);
  });

  test("an empty list exposes none, a star exposes all, and so does no list", () => {
    expect(ask({ servers: { github: { tools: [] } } }, tools).visible).toEqual([]);
    expect(ask({ servers: { github: { tools: ["*"] } } }, tools).visible.length).toBe(3);
    expect(ask({ servers: { github: {} } }, tools).visible.length).toBe(3);
  });

  test("a server's list says nothing about other servers (G8)", () => {
    const world = ask({ servers: { github: { tools: [] } } }, [...tools, mcp("files", "create_issue")]);
    expect(world.visible).toEqual(["files__create_issue"]);
  });
});

describe("skills", () => {
  test("skill-loading: later directories override same-name tools of earlier ones (N7)", () => {
    const skill = (id: string) => ({ name: "lint", source: "skill", id, description: id });
    const world = ask({}, [skill("first"), skill("second"), skill("third")]);
    expect(world.find("lint").entry.id).toBe("third");
    expect(world.visible).toEqual(["lint"]);
    expect(world.hidden.length).toBe(2);
  });
});

describe("pipe-tool-list", () => {
  test("MCP tools have a namespaced name with the server in front", () => {
    expect(ask({}, [mcp("playwright", "navigate")]).placements[0]?.entry.identity).toBe("playwright/navigate");
  });

  test("same-name tools across servers do not shadow each other", () => {
    const world = ask({}, [mcp("one", "query"), mcp("two", "query")]);
    expect(world.visible).toEqual(["one__query", "two__query"]);
  });
});
