import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { buildCatalog } from "../catalog/catalog.ts";
import type { Entry } from "../catalog/entry.ts";
import { readWorld } from "../scene/world.ts";
import { toSignature } from "../tool/inspect-tool.ts";
import { type Tool, toTool } from "../tool/tool.ts";
import { buildToolset } from "../toolset/build-toolset.ts";
import type { Toolset } from "../toolset/toolset.ts";
import type { SearchAnswer } from "./search-answer.ts";
import { SearchIndex } from "./search-index.ts";
import { type SearchContext, type SearchRequest, searchTools } from "./search-tools.ts";
import { syncIndex } from "./toolset-view.ts";

const TOOLS = [
  { name: "view", description: "Reads a file." },
  ...[
    ["create_issue", "github", "Opens a new issue in a repository"],
    ["list_issues", "github", "Lists the issues of a repository"],
    ["add_comment", "github", "Comments on an issue"],
    ["delete_repository", "github", "Deletes a repository for good"],
    ["get_forecast", "weather", "Weather of the coming days for a place"],
    ["get_alerts", "weather", "Warnings about storms"],
    ["create_event", "calendar", "Puts an appointment into the calendar"],
  ].map(([name, server, description]) => ({ name, server, description, source: "mcp" })),
];
const HIDDEN = "github__delete_repository";

function open(options: object = {}, tools: readonly object[] = TOOLS): { toolset: Toolset; index: SearchIndex<Entry> } {
  const world = readWorld(
    { tools, options: { toolSearch: "on", excludeTools: ["github/delete_repository"], ...options } },
    "test",
  );
  const toolset = buildToolset(buildCatalog(world.tools, { servers: world.scene.servers.keys() }), world.scene);
  const index = new SearchIndex<Entry>();
  syncIndex(index, toolset.catalog);
  return { toolset, index };
}

const shared = open();
function search(
  request: string | SearchRequest,
  context: SearchContext = {},
  { toolset, index } = shared,
): SearchAnswer {
  return searchTools(index, toolset, typeof request === "string" ? { query: request } : request, context);
}
const names = ({ hits }: SearchAnswer): readonly string[] => hits.map(({ entry }) => entry.wireName);

describe("words", () => {
  test("the tool that fits best comes first, with its whole definition in the text", () => {
    const answer = search("open a new issue");
    expect(names(answer)[0]).toBe("github__create_issue");
    expect(answer.text).toContain('{"name":"github__create_issue","description":"Opens a new issue in a repository"');
  });

  test("a deprecated tool comes after the one that it names instead, also where its words fit better", () => {
    const file = (name: string, description: string) => ({ name, description, server: "files", source: "mcp" });
    const given = open({}, [
      file("read_file", "Read a file. DEPRECATED: Use read_text_file instead."),
      file(
        "read_text_file",
        "Returns the complete contents of something on the disk, as text, when somebody wants to read it.",
      ),
      file("list_directory", "Lists a folder. Not deprecated, unlike read_file."),
    ]);
    expect(names(search("read a file", {}, given)).slice(0, 2)).toEqual(["files__read_text_file", "files__read_file"]);
    // By its name it is still found first.
    expect(names(search("read_file", {}, given))[0]).toBe("files__read_file");
  });

  test("deferred tools that are found are promoted, with signature and catalog hash", () => {
    const { promoted } = search("weather forecast");
    expect(promoted.names).toContain("weather__get_forecast");
    expect(promoted.catalogHash).toBe(shared.toolset.catalog.hash);
    const entry = shared.toolset.catalog.entries.find(({ wireName }) => wireName === "weather__get_forecast");
    expect(promoted.signatures.get("weather__get_forecast")).toBe(entry?.signature);
  });

  test.each(["calendar__create_event", "calendar/create_event", "create_event", "CALENDAR__CREATE_EVENT"])(
    "an exact name is first: %s",
    (query) => {
      expect(names(search(query))[0]).toBe("calendar__create_event");
    },
  );

  test("an exact name inside a sentence is first", () => {
    expect(names(search("issue comments with weather__get_alerts please"))[0]).toBe("weather__get_alerts");
  });

  test("a visible tool is found by its name and not promoted", () => {
    const answer = search("view");
    expect(names(answer)[0]).toBe("view");
    expect(answer.promoted.names).not.toContain("view");
  });

  test("a server narrows, whatever its case, and a task helps to rank", () => {
    expect(names(search({ query: "create", server: "GitHub" }))).toEqual(["github__create_issue"]);
    expect(names(search({ query: "get", server: "weather", task: "is a storm coming" }))[0]).toBe(
      "weather__get_alerts",
    );
  });

  test("a server that nothing can be searched of is told", () => {
    expect(search({ query: "create", server: "slack" }).text).toBe(
      'No tool matches: no tool of a server "slack" can be searched.',
    );
  });
});

test("+word must stand in the name", () => {
  expect(names(search("+create appointment"))).toEqual(["calendar__create_event", "github__create_issue"]);
  expect(names(search("+weather"))).toEqual(["weather__get_forecast", "weather__get_alerts"]);
  expect(names(search("+create +weather"))).toEqual([]);
});

describe("select:", () => {
  test("gives exactly these, in the order of the request", () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(names(search("/./")).concat("view"), { minLength: 1 }), (wanted) => {
        expect(names(search(`select:${wanted.join(",")}`))).toEqual(wanted);
      }),
    );
  });

  test("has no cap", () => {
    const many = Array.from({ length: 60 }, (_, at) => ({ name: `tool_${at}`, source: "mcp", server: "s" }));
    const wanted = many.map(({ name }) => `s__${name}`).reverse();
    expect(names(search({ query: `select:${wanted}`, limit: 3 }, {}, open({}, many)))).toEqual(wanted);
  });

  test("tells which names do not exist and what may have been meant", () => {
    const answer = search("select: github__create_isue, weather__get_alerts");
    expect(names(answer)).toEqual(["weather__get_alerts"]);
    expect(answer.unknown).toEqual(["github__create_isue"]);
    expect(answer.text).toContain('There is no tool "github__create_isue".\nDid you mean "github__create_issue"?');
  });
});

describe("/regex/", () => {
  test("looks into names first and then into descriptions, in catalog order and without regard to case", () => {
    expect(names(search("/ISSUE/"))).toEqual(["github__create_issue", "github__list_issues", "github__add_comment"]);
  });

  test("that does not compile is told", () => {
    const answer = search("/(unclosed/");
    expect(answer.hits).toEqual([]);
    expect(answer.text).toMatch(/^No tool matches: the pattern does not work: /);
  });
});

test("pages follow each other without a gap or a repetition", () => {
  const all = names(search({ query: "/./", limit: 20 }));
  const paged: string[] = [];
  let answer = search({ query: "/./", limit: 2 });
  for (;;) {
    paged.push(...names(answer));
    if (answer.cursor === null) break;
    expect(answer.text).toContain(`${all.length - paged.length} more match`);
    answer = search({ query: "", limit: 2, more: true, cursor: answer.cursor });
  }
  expect(paged).toEqual(all);
});

test.each([
  [undefined, 5],
  [2, 2],
  [0, 1],
  [999, 20],
  [Number.NaN, 5],
])("a limit of %s gives %d tools", (limit, count) => {
  const many = Array.from({ length: 40 }, (_, at) => ({ name: `tool_${at}`, source: "mcp", server: "s" }));
  expect(search({ query: "tool", limit: limit ?? null }, {}, open({}, many)).hits).toHaveLength(count);
});

describe("when nothing is found", () => {
  test("says which servers are starting and which failed", () => {
    const missing = [
      { name: "slack", state: "starting", reason: null },
      { name: "jira", state: "failed", reason: "ended with exit code 3" },
    ] as const;
    expect(search("zzz", { missing }).text).toBe(
      'No tool matches.\nStill starting: "slack". Search again in a moment.\nNot available: "jira" (ended with exit code 3).',
    );
    expect(search("issue", { missing }).text).not.toContain("slack");
  });

  test("a mistyped name is corrected", () => {
    expect(search("get_forcast").nearest).toEqual([]);
    expect(search("gett_forecst").hits[0]?.entry.wireName).toBe("weather__get_forecast");
    expect(search("gettforecst").nearest).toEqual(["weather__get_forecast"]);
  });

  test.each(["", "   ", "?!", "select:", "the of and"])("%j finds nothing and fails in no way", (query) => {
    expect(search(query).hits).toEqual([]);
  });
});

describe("a hidden tool", () => {
  const queries = fc.oneof(
    fc.constantFrom(
      HIDDEN,
      `select:${HIDDEN}`,
      "select:delete_repository",
      "/delete/",
      "+delete",
      "github__delete_repositori",
    ),
    fc.constantFrom("github/delete_repository", "+delete repository", "/./", "deletes a repository for good"),
    fc.string(),
  );

  test("is never found, promoted or named, whatever is asked", () => {
    const { toolset } = shared;
    const entry = toolset.catalog.entries.find(({ wireName }) => wireName === HIDDEN);
    if (entry === undefined) throw new Error("it is in the catalog");
    const context: SearchContext = {
      hints: () => ({ remembered: new Map([[entry, 1]]), similar: new Map([[entry, 1]]) }),
    };
    fc.assert(
      fc.property(queries, fc.option(fc.constantFrom("github", "weather")), (query, server) => {
        const answer = search({ query, server, limit: 20 }, context);
        expect(names(answer)).not.toContain(HIDDEN);
        expect([...answer.promoted.names, ...answer.nearest]).not.toContain(HIDDEN);
        const echoed = answer.unknown.reduce((text, name) => text.replace(JSON.stringify(name), ""), answer.text);
        expect(echoed).not.toContain("delete_repository");
      }),
    );
  });

  test("cannot be told from one that does not exist", () => {
    const without = open(
      {},
      TOOLS.filter(({ name }) => name !== "delete_repository"),
    );
    for (const query of [`select:${HIDDEN}`, "/delete/", "+delete"])
      expect(search(query).text).toBe(search(query, {}, without).text);
  });
});

test("every permitted tool is visible or can be found", () => {
  const { toolset } = shared;
  for (const { entry, standing } of toolset.placements) {
    const found = names(search(`select:${entry.wireName}`));
    if (entry !== toolset.catalog.search) expect(found).toEqual(standing === "hidden" ? [] : [entry.wireName]);
  }
});

test("where nothing is deferred, the visible tools are searched", () => {
  expect(names(search("read a file", {}, open({ toolSearch: "off" })))[0]).toBe("view");
});

test("a changed catalog changes the index by what changed", () => {
  const { index, toolset } = open();
  const before = index.version;
  const tools = toolset.catalog.entries.map(({ tool }) => tool).slice(1);
  const next = buildCatalog(tools, { previous: toolset.catalog });
  syncIndex(index, next);
  expect(index.version - before).toBe(1);
  expect(new Set(index.keys())).toEqual(new Set(next.entries));
});

describe("example requests", () => {
  const plain = ["deploy", "rollback", "restart_pods", "scale_up", "tail_logs"].map((name) =>
    toTool({ name, source: "external", description: `Runs ${name.replace("_", " ")}` }),
  );
  const ask = (tools: readonly Tool[], query: string) => {
    const catalog = buildCatalog(tools);
    const { scene } = readWorld({ options: { toolSearch: "on" } }, "test");
    const index = new SearchIndex<Entry>();
    syncIndex(index, catalog);
    return searchTools(index, buildToolset(catalog, scene), { query });
  };

  test("from a tool's author lead to it when nothing else says so, and no model reads them", () => {
    const query = "bring version 2 to our customers";
    expect(ask(plain, query).hits).toEqual([]);
    const examples = ["Bring version 3 to customers", "release it"];
    const taught = plain.map((tool) => (tool.name === "deploy" ? { ...tool, examples } : tool));
    const { hits, text } = ask(taught, query);
    expect(hits[0]?.entry.wireName).toBe("deploy");
    expect(text).not.toContain("Bring version");
  });

  test("change no signature, so no pin and no promotion ends by them", () => {
    const [first] = plain;
    expect(first && toSignature({ ...first, examples: ["ship it"] })).toBe(first && toSignature(first));
  });
});

test("a pattern that could not look at everything says so", () => {
  const many = Array.from({ length: 6_000 }, (_, at) =>
    toTool({ name: `t${at}`, source: "external", description: "x".repeat(400) }),
  );
  const catalog = buildCatalog(many);
  const { scene } = readWorld({ options: { toolSearch: "on" } }, "test");
  const answer = searchTools(new SearchIndex<Entry>(), buildToolset(catalog, scene), { query: "/never there/" });
  expect(answer.text).toContain("Not all descriptions were looked at");
});

test("an answer holds no more than a result may: what is over is named and loaded all the same", () => {
  const many = Array.from({ length: 12 }, (_, at) =>
    toTool({ name: `big${at}`, source: "external", description: `Big ${at} ${"é".repeat(3_000)}` }),
  );
  const catalog = buildCatalog(many);
  const { scene } = readWorld({ options: { toolSearch: "on" } }, "test");
  const query = `select:${many.map(({ name }) => name).join(",")}`;
  const answer = searchTools(new SearchIndex<Entry>(), buildToolset(catalog, scene), { query });
  expect(new TextEncoder().encode(answer.text).length).toBeLessThan(50_000);
  expect(answer.promoted.names).toHaveLength(12);
  for (const { name } of many) expect(answer.text).toContain(`"name":"${name}"`);
});
