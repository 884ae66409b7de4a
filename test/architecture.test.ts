import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { checkArchitecture } from "./support/architecture.ts";

const CHECKOUT = fileURLToPath(new URL("..", import.meta.url));

test("this checkout keeps to its architecture", () => {
  expect(offencesIn(CHECKOUT)).toEqual([]);
});

test.each([
  "const done = result.textResultForLlm.startsWith('Done');",
  "const [, name] = LOADED.exec(result.textResultForLlm) ?? [];",
  "const isImage = / is an image /.test(textResultForLlm);",
])("the words of a result are not read back: %s", (line) => {
  expect(offencesOf({ "src/surfaces/cli/a.ts": line })).toEqual([
    expect.stringContaining("line 1: reads the words of a result"),
  ]);
  expect(offencesOf({ "src/surfaces/cli/a.test.ts": line })).toEqual([]);
});

describe("rooms", () => {
  test.each([
    ["src/core/tool/a.ts", "../../config/b.ts", "core may import itself"],
    ["src/system/a.ts", "../config/b.ts", "system may import itself, core"],
    ["src/config/a.ts", "../sources/b.ts", "config may import itself, core, system"],
    ["src/sources/mcp/a.ts", "../../runtime/b.ts", "sources may import itself, core, system"],
    ["src/runtime/session/a.ts", "../../surfaces/b.ts", "runtime may import itself, core, system, config, sources"],
  ])("%s must not import %s", (path, specifier, message) => {
    expect(offencesOf({ [path]: importing(specifier) })).toEqual([
      expect.stringMatching(new RegExp(`^${path}: line 1: imports src/.*; ${message}$`)),
    ]);
  });

  test.each([
    ["src/system/a.ts", "../core/tool/b.ts"],
    ["src/config/a.ts", "../core/scene/b.ts"],
    ["src/sources/mcp/a.ts", "../../system/process/b.ts"],
    ["src/sources/mcp/a.ts", "../source.ts"],
    ["src/runtime/session/a.ts", "../../sources/b.ts"],
    ["src/surfaces/cli/a.ts", "../../runtime/session/b.ts"],
    ["src/index.ts", "./runtime/session/b.ts"],
  ])("%s may import %s", (path, specifier) => {
    expect(offencesOf({ [path]: importing(specifier) })).toEqual([]);
  });

  test("a folder of src that is no room is an offence", () => {
    expect(offencesOf({ "src/lib/a.ts": "" })).toEqual([expect.stringMatching(/^src\/lib\/a\.ts: "lib" is no room/)]);
  });

  test("no room imports the public surface", () => {
    expect(offencesOf({ "src/config/a.ts": importing("../index.ts") })).toEqual([
      expect.stringContaining("the public surface is for users"),
    ]);
  });

  test("source does not reach outside src", () => {
    expect(offencesOf({ "src/config/a.ts": importing("../../scripts/setup.mjs") })).toEqual([
      "src/config/a.ts: line 1: imports scripts/setup.mjs, which is outside src",
    ]);
  });

  test("source does not import tests, and tests import what they like", () => {
    const files = {
      "src/core/tool/a.ts": importing("./a.test.ts"),
      "src/core/tool/a.test.ts": importing("../../surfaces/cli/main.ts"),
    };
    expect(offencesOf(files)).toEqual([
      "src/core/tool/a.ts: line 1: imports src/core/tool/a.test.ts; source never imports tests",
    ]);
  });
});

describe("core", () => {
  test("a folder imports itself and the ones before it, never a later one", () => {
    expect(offencesOf({ "src/core/gates/a.ts": importing("../catalog/b.ts") + importing("./c.ts") })).toEqual([]);
    expect(offencesOf({ "src/core/catalog/a.ts": importing("../gates/b.ts") })).toEqual([
      expect.stringMatching(/^src\/core\/catalog\/a\.ts: line 1: .* gates comes after catalog$/),
    ]);
  });

  test("a folder without a place in the order is an offence, and so is a loose file", () => {
    expect(offencesOf({ "src/core/misc/a.ts": "", "src/core/b.ts": "" })).toEqual([
      expect.stringMatching(/^src\/core\/b\.ts: core holds its files in these folders: codes, shape, schema, tool/),
      expect.stringMatching(
        /^src\/core\/misc\/a\.ts: core holds its files in these folders: codes, shape, schema, tool/,
      ),
    ]);
  });

  test.each(["node:fs", "fs", "node:child_process", "fs/promises"])("must not import %s", (specifier) => {
    expect(offencesOf({ "src/core/tool/a.ts": importing(specifier) })).toEqual([
      `src/core/tool/a.ts: line 1: imports ${specifier}; core is pure and uses no Node module but node:crypto`,
    ]);
  });

  test("may hash, and use packages", () => {
    expect(offencesOf({ "src/core/tool/a.ts": importing("node:crypto") + importing("re2js") })).toEqual([]);
  });
});

describe("runtime", () => {
  test("a folder imports itself and the ones before it, never a later one", () => {
    expect(offencesOf({ "src/runtime/session/a.ts": importing("../executor/b.ts") })).toEqual([]);
    expect(offencesOf({ "src/runtime/executor/a.ts": importing("../session/b.ts") })).toEqual([
      expect.stringMatching(/^src\/runtime\/executor\/a\.ts: line 1: .* session comes after executor$/),
    ]);
  });

  test("the folders of a session have an order too, and its own files come last", () => {
    const folder = "src/runtime/session";
    expect(offencesOf({ [`${folder}/a.ts`]: importing("./calls/b.ts") })).toEqual([]);
    expect(
      offencesOf({
        [`${folder}/calls/a.ts`]: importing("../sources/b.ts") + importing("../tools/c.ts"),
        [`${folder}/tools/a.ts`]: importing("../d.ts"),
      }),
    ).toEqual([
      expect.stringMatching(/calls\/a\.ts: line 2: .* the order in runtime\/session is .* tools comes after calls$/),
      expect.stringMatching(/tools\/a\.ts: line 1: .* the order in runtime\/session is .* \. comes after tools$/),
    ]);
  });
});

describe("config and the built-in tools", () => {
  test("a folder never imports what comes after it, and loose files come last", () => {
    expect(offencesOf({ "src/config/trust/a.ts": importing("../shape/b.ts") })).toEqual([]);
    expect(offencesOf({ "src/config/a.ts": importing("./lock/b.ts") })).toEqual([]);
    expect(offencesOf({ "src/config/shape/a.ts": importing("../trust/b.ts") })).toEqual([
      expect.stringMatching(/^src\/config\/shape\/a\.ts: line 1: .* trust comes after shape$/),
    ]);
    expect(offencesOf({ "src/config/lock/a.ts": importing("../config.ts") })).toEqual([
      expect.stringMatching(/^src\/config\/lock\/a\.ts: line 1: .* \. comes after lock$/),
    ]);
    expect(offencesOf({ "src/sources/builtin/files/a.ts": importing("../definitions/b.ts") })).toEqual([
      expect.stringMatching(/^src\/sources\/builtin\/files\/a\.ts: line 1: .* definitions comes after files$/),
    ]);
  });

  test("a folder without a place in the order is an offence", () => {
    expect(offencesOf({ "src/config/misc/a.ts": "", "src/sources/builtin/misc/a.ts": "" })).toHaveLength(2);
  });
});

describe("cli", () => {
  test("a folder imports itself and the ones before it; what is loose comes last", () => {
    expect(offencesOf({ "src/surfaces/cli/up/a.ts": importing("../terminal/b.ts") })).toEqual([]);
    expect(offencesOf({ "src/surfaces/cli/a.ts": importing("./up/b.ts") })).toEqual([]);
    expect(offencesOf({ "src/surfaces/cli/terminal/a.ts": importing("../up/b.ts") })).toEqual([
      expect.stringMatching(/^src\/surfaces\/cli\/terminal\/a\.ts: line 1: .* up comes after terminal$/),
    ]);
    expect(offencesOf({ "src/surfaces/cli/up/a.ts": importing("../b.ts") })).toEqual([
      expect.stringMatching(/ \. comes after up$/),
    ]);
    expect(offencesOf({ "src/surfaces/cli/misc/a.ts": "" })).toEqual([
      expect.stringMatching(/: surfaces\/cli holds its files in these folders: terminal, /),
    ]);
  });
});

describe("sources", () => {
  test("a folder is entered through its entry files alone; what is shared is open", () => {
    const open = ["mcp/mcp-source.ts", "mcp/oauth/log-in.ts", "parts/b.ts", "source.ts"];
    const text = open.map((file) => importing(`../../sources/${file}`)).join("");
    expect(offencesOf({ "src/runtime/session/a.ts": text })).toEqual([]);
    expect(offencesOf({ "src/sources/mcp/oauth/a.ts": importing("../channel.ts") })).toEqual([]);
    for (const path of ["src/runtime/session/a.ts", "src/sources/parts/a.ts", "src/sources/skill/a.ts"])
      expect(offencesOf({ [path]: importing("../../sources/mcp/channel.ts") })).toEqual([
        expect.stringContaining("sources/mcp is entered through mcp-source.ts, mcp-result.ts, server-spec.ts"),
      ]);
  });

  test("a folder that names no other file is entered through its source", () => {
    const path = "src/runtime/session/a.ts";
    expect(offencesOf({ [path]: importing("../../sources/moment/moment-source.ts") })).toEqual([]);
    expect(offencesOf({ [path]: importing("../../sources/moment/clock.ts") })).toEqual([
      expect.stringContaining("sources/moment is entered through moment-source.ts"),
    ]);
  });
});

describe("retired words", () => {
  test.each([
    ["in a comment", "/** Whoever asks. */\nconst a = 1;\n", 'line 1: "Whoever" is retired'],
    ["across lines", "/**\n * What it comes\n * to.\n */\nconst a = 1;\n", 'line 1: "comes to" is retired'],
    ["behind code", "const a = 1; // Made anew.\n", 'line 1: "anew" is retired'],
    ["in a name", "\nexport function sayLong(): void {}\n", 'line 2: "sayLong" is retired'],
    ["in a field", "interface A {\n  readonly isDearer: boolean;\n}\n", 'line 2: "Dearer" is retired'],
  ])("%s", (_, text, message) => {
    expect(offencesOf({ "src/core/tool/a.ts": text })).toEqual([expect.stringContaining(message)]);
  });

  test("data and words that only look alike are left alone", () => {
    const text = 'const WORDS = "whoever anew";\nconst isANewTool = true;\n';
    expect(offencesOf({ "src/core/tool/a.ts": text })).toEqual([]);
  });

  test.each([
    ["in a comment", "// Whoever.\n"],
    ["in a title", 'test("whoever asks", () => {});\n'],
  ])("of a test are found, %s", (_, text) => {
    expect(offencesOf({ "src/core/tool/a.test.ts": text })).toEqual([expect.stringContaining("is retired")]);
  });
});

describe("circles", () => {
  test("are told once, at the first file, with the whole way round; those of types too", () => {
    const files = {
      "src/core/tool/a.ts": importing("./b.ts"),
      "src/core/tool/b.ts": 'import type { C } from "./c.ts";\n',
      "src/core/tool/c.ts": importing("./a.ts"),
      "src/core/tool/d.ts": importing("./a.ts"),
    };
    expect(offencesOf(files)).toEqual([
      "src/core/tool/a.ts: leads back to itself: src/core/tool/a.ts > src/core/tool/b.ts > src/core/tool/c.ts > src/core/tool/a.ts",
    ]);
  });
});

describe("circles of folders", () => {
  test("are an offence where neither is in the other", () => {
    const files = {
      "src/sources/a/x.ts": importing("../b/y.ts"),
      "src/sources/b/y.ts": importing("./c/z.ts"),
      "src/sources/b/c/z.ts": importing("../../d/v.ts") + importing("../w.ts"),
      "src/sources/d/v.ts": importing("../../sources/a/u.ts"),
    };
    const circle = ["a", "b", "d", "a"].map((folder) => `src/sources/${folder}`).join(" > ");
    expect(offencesOf(files).filter((text) => text.includes("leads back"))).toEqual([
      `src/sources/a: leads back to itself: ${circle}`,
    ]);
  });
});

describe("names of types", () => {
  test("mean one thing", () => {
    const files = {
      "src/core/tool/a.ts": "export interface Thing {}\n",
      "src/core/tool/b.ts": "export type Thing = 1;\n",
      "src/core/tool/c.ts": "type Thing = 1;\n",
    };
    expect(offencesOf(files)).toEqual(["src/core/tool/b.ts: Thing is a type of src/core/tool/a.ts already"]);
  });
});

describe("surfaces", () => {
  test("do not import each other, save that the cli starts the others", () => {
    expect(offencesOf({ "src/surfaces/cli/a.ts": importing("../gateway/b.ts") })).toEqual([]);
    expect(offencesOf({ "src/surfaces/gateway/a.ts": importing("../cli/b.ts") })).toEqual([
      expect.stringContaining("surfaces do not import each other"),
    ]);
  });

  test("the inspector's page sees itself and types of the API, and nothing else", () => {
    const path = "src/surfaces/inspector/a.tsx";
    const types = 'import type { A } from "../http/api/api.ts";\n';
    expect(offencesOf({ [path]: types + importing("./panels/b.tsx") })).toEqual([]);
    for (const specifier of ["../http/api/api.ts", "../http/serve.ts", "../cli/b.ts", "../../core/tool/b.ts"]) {
      expect(offencesOf({ [path]: importing(specifier) })).toEqual([expect.stringContaining("browser code")]);
    }
    const more = 'import type { A } from "../http/serve.ts";\n';
    expect(offencesOf({ [path]: more })).toEqual([expect.stringContaining("browser code")]);
    const upward = { "src/surfaces/inspector/parts/a.tsx": importing("../tools/b.tsx") };
    expect(offencesOf(upward)).toEqual([expect.stringMatching(/ tools comes after parts$/)]);
  });
});

describe("the way an import is written does not hide it", () => {
  test.each([
    ["on many lines", 'import {\n  a,\n  b,\n} from "../../config/x.ts";'],
    ["for a type", 'import type { A } from "../../config/x.ts";'],
    ["for its effect", 'import "../../config/x.ts";'],
    ["on first use", 'const x = await import("../../config/x.ts");'],
    ["passed on", 'export { a } from "../../config/x.ts";'],
    ["passed on whole", 'export * from "../../config/x.ts";'],
    ["inside a type", 'type A = import("../../config/x.ts").A;'],
  ])("%s", (_, text) => {
    expect(offencesOf({ "src/core/tool/a.ts": text })).toHaveLength(1);
  });

  test("comments and other strings are no imports", () => {
    const text =
      '// import "../../config/x.ts"\n/**\n * import "../../config/x.ts"\n */\nconst a = "../../config/x.ts";\n';
    expect(offencesOf({ "src/core/tool/a.ts": text })).toEqual([]);
  });

  test("the line is that of the statement", () => {
    expect(offencesOf({ "src/core/tool/a.ts": `/* one\ntwo */\n\n${importing("../../config/x.ts")}` })).toEqual([
      expect.stringMatching(/^src\/core\/tool\/a\.ts: line 4: /),
    ]);
  });
});

describe("files", () => {
  test.each(["src/core/tool/utils.ts", "src/core/tool/helpers.ts", "test/helpers.ts", "src/sources/utils/a.ts"])(
    "%s has a name that says nothing",
    (path) => {
      expect(offencesOf({ [path]: "" })).toEqual([expect.stringMatching(/says nothing; name the file after/)]);
    },
  );

  test.each([
    "src/core/tool/defineTool.ts",
    "src/core/tool/Tool.ts",
    "src/core/tool/a_b.ts",
    "src/sources/myTools/a.ts",
  ])("%s is not in kebab-case", (path) => {
    expect(offencesOf({ [path]: "" })).toEqual([`${path}: is not in kebab-case`]);
  });

  test("kebab-case holds with any number of endings", () => {
    expect(offencesOf({ "src/core/tool/define-tool.test-d.ts": "", "bench/list.bench.ts": "" })).toEqual([]);
  });

  test.each(["export default 1;\n", "const a = 1;\nexport { a as default };\n"])("%j is a default export", (text) => {
    expect(offencesOf({ "src/core/tool/a.ts": text })).toEqual([
      expect.stringMatching(/^src\/core\/tool\/a\.ts: line \d: default export/),
    ]);
  });

  test("source ends at 400 lines, tests at 600", () => {
    const files = {
      "src/core/tool/a.ts": lines(400),
      "src/core/tool/a.test.ts": lines(600),
      "src/core/tool/b.ts": lines(401),
      "src/core/tool/b.test.ts": lines(601),
    };
    expect(offencesOf(files)).toEqual([
      "src/core/tool/b.test.ts: has 601 lines; the cap is 600",
      "src/core/tool/b.ts: has 401 lines; the cap is 400",
    ]);
  });

  test("a folder ends at 40 sources, tests beside them not counted", () => {
    const sources = Array.from({ length: 40 }, (_, at) => [`src/core/tool/a${at}.ts`, ""]);
    const files = { ...Object.fromEntries(sources), "src/core/tool/a1.test.ts": "" };
    expect(offencesOf(files)).toEqual([]);
    expect(offencesOf({ ...files, "src/core/tool/b.ts": "" })).toEqual([
      "src/core/tool: has 41 files; the cap is 40: give them folders",
    ]);
  });

  test("fixtures are not ours to judge", () => {
    expect(offencesOf({ "test/fixtures/utils.ts": "export default 1;\n" })).toEqual([]);
  });
});

describe("ARCHITECTURE.md", () => {
  test("a folder that holds code needs a row of its own", () => {
    const files = { "src/core/tool/a.ts": "", "src/core/call/b.ts": "" };
    expect(offencesOf(files, "| `src/core/tool` | tools |\n\nMore on `src/core/call`.\n")).toEqual([
      'src/core/call: has no row in ARCHITECTURE.md; add "| `src/core/call` |"',
    ]);
  });

  test("a row needs a folder that holds code", () => {
    expect(offencesOf({ "src/core/tool/a.ts": "" }, "| `src/core/tool` | a |\n| `src/gone` | b |\n")).toEqual([
      "src/gone: has a row in ARCHITECTURE.md and holds no code",
    ]);
  });
});

test("every offence is told, each with its own message", () => {
  const text = `${importing("node:fs")}${importing("../../config/x.ts")}export default 1;\n`;
  expect(offencesOf({ "src/core/tool/utils.ts": text })).toHaveLength(4);
});

/** The offences of a checkout that holds these files; without `architecture`, each folder has its row. */
function offencesOf(files: Readonly<Record<string, string>>, architecture?: string): string[] {
  const root = mkdtempSync(join(tmpdir(), "toolcrib-architecture-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const folders = new Set(Object.keys(files).map(dirname));
  const rows = [...folders].filter((folder) => folder.startsWith("src/")).map((folder) => `| \`${folder}\` | … |\n`);
  writeFileSync(join(root, "ARCHITECTURE.md"), architecture ?? rows.join(""));
  return offencesIn(root);
}

function offencesIn(root: string): string[] {
  return checkArchitecture(root).map(({ path, text }) => `${path}: ${text}`);
}

function importing(specifier: string): string {
  return `import { a } from "${specifier}";\n`;
}

function lines(count: number): string {
  return "// a line\n".repeat(count);
}
