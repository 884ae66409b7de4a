import fc from "fast-check";
import { expect, test } from "vitest";
import { anyCharacter } from "../../../test/fixtures/any-character.ts";
import { isToolcribError } from "../../core/codes/toolcrib-error.ts";
import { loadConfig } from "../load-config.ts";
import { fileShape } from "../shape/file-shape.ts";
import { listValues } from "../shape/list-values.ts";
import { toScene } from "../to-scene.ts";
import type { Readers } from "./readers.ts";

/** A machine whose only files are these. */
function readersOf(files: Readonly<Record<string, string>>): Readers {
  const held = new Map(Object.entries(files));
  return {
    readText: async (path) => held.get(path) ?? null,
    listFolder: async (path) =>
      [...held.keys()].filter((name) => name.startsWith(`${path}/`)).map((name) => name.slice(path.length + 1)),
    exists: async (path) => held.has(path),
    realPath: async (path) => path,
    isPrivate: async () => true,
  };
}

async function survives(files: Readonly<Record<string, string>>): Promise<void> {
  try {
    const config = await loadConfig({
      cwd: "/w",
      home: "/h",
      env: {},
      readers: readersOf(files),
      systemPolicy: "/etc/p.yaml",
    });
    listValues(config);
    toScene(config);
  } catch (error) {
    if (!isToolcribError(error)) throw error;
  }
  expect(Reflect.get({}, "polluted")).toBeUndefined();
}

const keys = [
  ...Object.keys(fileShape.fields),
  "__proto__",
  "constructor",
  "toString",
  "polluted",
  "name",
  "command",
  "url",
  "tools",
  "mcpServers",
];
const key = fc.oneof(fc.constantFrom(...keys), fc.string());
const scalar = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom("*", "Bash(x)", "a(", "${A}", "plan"),
);
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof({ depthSize: "small" }, scalar, fc.array(tie("tree"), { maxLength: 4 }), tie("map")),
  map: fc.array(fc.tuple(key, tie("tree")), { maxLength: 5 }).map((pairs) => Object.fromEntries(pairs)),
}));
const file = fc
  .array(fc.tuple(fc.constantFrom(...keys), tree), { maxLength: 6 })
  .map(
    (pairs) =>
      `{${[...new Map(pairs)].map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(",")}}`,
  );

test("any JSON in any layer gives a configuration or an error for people, and pollutes nothing", async () => {
  await fc.assert(
    fc.asyncProperty(file, file, file, (policy, project, user) =>
      survives({ "/etc/p.yaml": policy, "/w/toolcrib.json": project, "/h/.config/toolcrib/config.yaml": user }),
    ),
    { numRuns: 150 },
  );
});

test("any text does too, as a file and as an agent file", async () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "a",
      ":",
      " ",
      "\n",
      "- ",
      "{",
      "}",
      "[",
      "]",
      "&a",
      "*a",
      "!t",
      "|",
      ">",
      "?",
      '"',
      "'",
      "#",
      "---",
      "\t",
      "<<",
      "__proto__",
      "agent",
      "tools",
      "%",
    ),
    fc.string({ unit: anyCharacter }),
  );
  const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(""));
  await fc.assert(
    fc.asyncProperty(text, (body) =>
      survives({
        "/w/toolcrib.yaml": body,
        "/h/.claude/agents/a.md": body,
        "/h/.claude/agents/b.md": `---\n${body}\n---\n`,
      }),
    ),
    { numRuns: 300 },
  );
});

test("a server, an agent and a feature may be called __proto__", async () => {
  const text =
    '{"mcpServers":{"__proto__":{"command":"x"}},"features":{"__proto__":true},"agents":[{"name":"__proto__"}],"agent":"__proto__"}';
  const config = await loadConfig({
    cwd: "/w",
    home: "/h",
    env: {},
    readers: readersOf({ "/h/.config/toolcrib/config.yaml": text }),
    systemPolicy: "/p",
  });
  const scene = toScene(config);
  expect([...scene.servers.keys()]).toEqual(["__proto__"]);
  expect(scene.features.get("__proto__")?.value).toBe(true);
  expect(scene.agent?.name).toBe("__proto__");
});
