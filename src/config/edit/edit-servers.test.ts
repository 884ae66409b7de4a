import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { withoutServer, withServer } from "./edit-servers.ts";

const FILE = "toolcrib.yaml";
const ENTRY = { command: "npx", args: ["-y", "x"] };
const COMMENTED = `# ours
excludeTools:   [web,execute]   # not here

mcpServers:
    # the issue tracker
    github:   { type: http, url: "https://h/mcp" }
    files:
        command: npx   # from npm
        args: [ "-y",  'server' ]
        # about files
# about agents
agent: null
`;

describe("adding a server", () => {
  test("puts it behind the others and leaves every other line as it is", async () => {
    const text = await withServer(COMMENTED, FILE, "new", ENTRY);
    const added = "    new:\n      command: npx\n      args:\n        - -y\n        - x\n";
    expect(text).toBe(COMMENTED.replace("# about agents", `${added}# about agents`));
  });

  test.each([
    ["an empty file", ""],
    ["a file with nothing but a comment", "# nothing yet\n"],
    ["a file without servers", "agent: null\n"],
    ["no line break at the end", "agent: null"],
    ["an empty section", "mcpServers:\nagent: null\n"],
    ["an empty map", "mcpServers: {}\nagent: null\n"],
    ["servers on one line", "mcpServers: { a: { command: x } }\n"],
    ["a document with an end", "mcpServers:\n  a: { command: x }\n...\n"],
    ["a text of several lines", "agents:\n  - { name: a, prompt: p }\nmcpServers:\n  a:\n    command: |\n      x\n"],
    ["JSON", '{\n\t"agent": null,\n\t"mcpServers": { "a": { "command": "x" } }\n}\n'],
  ])("works with %s, and the result says what it should", async (_, text) => {
    const before = parse(text) ?? {};
    const after = parse(await withServer(text, FILE, "new", ENTRY));
    expect(after).toEqual({ ...before, mcpServers: { ...before.mcpServers, new: ENTRY } });
  });

  test("keeps a JSON file JSON, with its indent", async () => {
    const text = await withServer('{\n\t"agent": null\n}\n', "toolcrib.json", "new", { command: "x" });
    expect(text).toBe('{\n\t"agent": null,\n\t"mcpServers": {\n\t\t"new": {\n\t\t\t"command": "x"\n\t\t}\n\t}\n}\n');
  });

  test.each([
    ["a file that is not there yet", "", '{\n  "mcpServers": {\n    "new": {\n      "command": "x"\n    }\n  }\n}\n'],
    [
      "lists on one line",
      '{\n  "excludeTools": ["web", "execute"],\n  "mcpServers": {}\n}\n',
      '{\n  "excludeTools": ["web", "execute"],\n  "mcpServers": {\n    "new": {\n      "command": "x"\n    }\n  }\n}\n',
    ],
    [
      "a byte order mark",
      "\ufeff{}\n",
      '\ufeff{\n  "mcpServers": {\n    "new": {\n      "command": "x"\n    }\n  }\n}\n',
    ],
  ])("writes JSON into a JSON file, and changes nothing else of it: %s", async (_, text, expected) => {
    expect(await withServer(text, "toolcrib.json", "new", { command: "x" })).toBe(expected);
  });

  test("keeps the line ends of the file", async () => {
    const text = "mcpServers:\r\n  a: { command: x } # first\r\n\r\n# end\r\n";
    const after = await withServer(text, FILE, "new", ENTRY);
    expect(after).not.toMatch(/[^\r]\n/);
    expect(await withoutServer(after, FILE, "new")).toBe(text);
  });

  test("replaces one of the same name", async () => {
    const text = await withServer(COMMENTED, FILE, "files", ENTRY);
    expect(parse(text).mcpServers.files).toEqual(ENTRY);
    expect(text).toContain("# the issue tracker");
  });

  test("refuses a file that cannot be read, with its line", async () => {
    await expect(withServer("a: [\n", FILE, "new", ENTRY)).rejects.toThrow(/toolcrib\.yaml:\d/);
  });

  test.each(["__proto__", "constructor", "a b", "ü", "- x", "#"])("takes any name: %s", async (name) => {
    const text = await withServer("mcpServers:\n  a: { command: x }\n", FILE, name, ENTRY);
    expect(Object.keys(parse(text).mcpServers)).toEqual(["a", name]);
  });
});

describe("removing a server", () => {
  test("takes its lines and the comment above it, and leaves every other line as it is", async () => {
    const text = await withoutServer(COMMENTED, FILE, "github");
    expect(text).toBe(COMMENTED.replace(/ {4}# the issue tracker\n.*\n/, ""));
  });

  test("takes the comments inside its entry too", async () => {
    const text = await withoutServer(COMMENTED, FILE, "files");
    expect(text).not.toContain("about files");
    expect(text).toContain("# about agents");
  });

  test("takes the section with the last one", async () => {
    expect(await withoutServer("mcpServers:\n  a: { command: x }\nagent: null\n", FILE, "a")).toBe("agent: null\n");
  });

  test.each([COMMENTED, "agent: null\n", "mcpServers:\n  a: { command: x }\n\n# end\n"])(
    "gives back the text that there was before it was added",
    async (text) => {
      expect(await withoutServer(await withServer(text, FILE, "new", ENTRY), FILE, "new")).toBe(text);
    },
  );

  test.each([
    [
      "the first",
      '{\n  "mcpServers": { "old": {}, "b": { "args": ["x"] } }\n}',
      '{\n  "mcpServers": { "b": { "args": ["x"] } }\n}',
    ],
    [
      "the last",
      '{ "mcpServers": { "b": {}, "old": {} }, "agent": null }',
      '{ "mcpServers": { "b": {} }, "agent": null }',
    ],
    ["the last before a comma", '{ "mcpServers": { "b": {}, "old": {}, } }', '{ "mcpServers": { "b": {}, } }'],
    [
      "the only one",
      '{\n  "excludeTools": ["web"],\n  "mcpServers": { "old": {} }\n}\n',
      '{\n  "excludeTools": ["web"]\n}\n',
    ],
    ["all there is", '{ "mcpServers": { "old": {} } }', "{}"],
    [
      "one with comments elsewhere",
      '{\n  // no web\n  "excludeTools": ["web"], // really\n  "mcpServers": { "old": {}, "b": {} } // end\n}',
      '{\n  // no web\n  "excludeTools": ["web"], // really\n  "mcpServers": { "b": {} } // end\n}',
    ],
  ])("takes %s out of a JSON file, and leaves the rest as it is written", async (_, text, expected) => {
    expect(await withoutServer(text, "toolcrib.json", "old")).toBe(expected);
  });

  test.each([
    [
      '{\n  "mcpServers": {\n    // mine\n    "old": {}, "b": {}\n  }\n}',
      '{\n  "mcpServers": {\n    // mine\n    "b": {}\n  }\n}',
    ],
    [
      '{\n  "mcpServers": {\n    "old": {}, // mine\n    "b": {}\n  }\n}',
      '{\n  "mcpServers": {\n    // mine\n    "b": {}\n  }\n}',
    ],
    [
      '{\n  "mcpServers": {\n    // mine\n    "old": {},\n    // other\n    "b": {}\n  }\n}',
      '{\n  "mcpServers": {\n    // mine\n    // other\n    "b": {}\n  }\n}',
    ],
    [
      '{\n  "mcpServers": {\n    "b": {}, "old": { /* goes */ } // mine\n  }\n}',
      '{\n  "mcpServers": {\n    "b": {} // mine\n  }\n}',
    ],
    [
      '{\n  "mcpServers": {\n    "b": {}, // b\n    "old": {}, // mine\n  }\n}',
      '{\n  "mcpServers": {\n    "b": {} // b\n    // mine\n  }\n}',
    ],
    ['{\n  // mine\n  "mcpServers": { "old": {} }\n}', '{\n  // mine\n  "mcpServers": {}\n}'],
    [
      '{\r\n  "mcpServers": {\r\n    // mine\r\n    "old": {},\r\n  }\r\n}',
      '{\r\n  "mcpServers": {\r\n    // mine\r\n  }\r\n}',
    ],
  ])("keeps the comments around it, because nobody can say whose they are: %j", async (text, expected) => {
    expect(await withoutServer(text, "toolcrib.json", "old")).toBe(expected);
  });

  test("puts one beside comments", async () => {
    const text = '{\n  "mcpServers": {\n    // mine\n    "old": {}, "b": {}\n  }\n}';
    expect(await withServer(text, "toolcrib.json", "new", ENTRY)).toContain("// mine");
  });
});
