import { beforeAll, describe, expect, test } from "vitest";
import { type Origin, sourced } from "../codes/origin.ts";
import { compileRules, loadPatterns } from "./compile-rules.ts";
import { decide, type PermissionMode, type RuledCallSubject, type Subject } from "./decide.ts";
import { fromSymlinks } from "./paths.ts";
import { parseRule } from "./rule.ts";

const WORLD = {
  cwd: "/home/dev/project",
  workspace: "/home/dev/project",
  home: "/home/dev",
  readLink: fromSymlinks(
    [
      ["link", "/etc/passwd"],
      ["inside", "src/a.ts"],
      ["loop", "loop"],
    ],
    "/home/dev/project",
  ),
};
const ORIGIN: Origin = { kind: "file", file: "/home/dev/project/.claude/settings.json", line: 2 };

beforeAll(async () => {
  await loadPatterns({ deny: [sourced(parseRule("t(/x/)", ORIGIN), ORIGIN)], ask: [], allow: [] });
});

interface Asked {
  readonly subject: Subject;
  readonly names?: readonly string[];
  readonly args?: unknown;
  readonly readOnly?: boolean;
  readonly mode?: PermissionMode;
  readonly allowReadOnly?: boolean;
}

function decisionOn(
  lists: { allow?: readonly string[]; ask?: readonly string[]; deny?: readonly string[] },
  asked: Asked,
) {
  const toRules = (texts: readonly string[] = []) => texts.map((text) => sourced(parseRule(text, ORIGIN), ORIGIN));
  const rules = compileRules(
    { allow: toRules(lists.allow), ask: toRules(lists.ask), deny: toRules(lists.deny) },
    WORLD,
  );
  const { subject, names = [], args = {}, readOnly = false, mode = "default", allowReadOnly = false } = asked;
  const call: RuledCallSubject = {
    toolName: "t",
    isMeantBy: (name) => names.includes(name),
    subject,
    arguments: args,
    readOnly,
  };
  return decide(call, rules, { ...WORLD, mode, allowReadOnly });
}

const read = (path: string): Subject => ({ kind: "read", paths: [path] });
const write = (path: string): Subject => ({ kind: "write", paths: [path] });

test.each(
  ["toolcrib", "toolcrib.local"].flatMap((name) => ["yaml", "yml", "json"].map((ending) => `${name}.${ending}`)),
)("%s says what may run, so a broad rule about writing does not cover it", (file) => {
  expect(decisionOn({ allow: ["Edit(**)"] }, { subject: write("src/a.ts") }).decision).toBe("allow");
  expect(decisionOn({ allow: ["Edit(**)"] }, { subject: write(file) }).decision).toBe("ask");
  expect(decisionOn({ allow: ["Edit(**)"] }, { subject: write(`packages/a/${file}`) }).decision).toBe("ask");
});

describe("files", () => {
  test.each([
    ["Read(src/**)", read("src/a/b.ts"), "allow"],
    ["Read(src/**)", read("other/src/a.ts"), "ask"],
    ["Read(./src/*.ts)", read("src/a.ts"), "allow"],
    ["Read(./src/*.ts)", read("src/b/a.ts"), "ask"],
    ["Read(/docs/**)", read("docs/a.md"), "allow"],
    ["Read(//etc/hosts)", read("/etc/hosts"), "allow"],
    ["Read(~/notes/**)", read("/home/dev/notes/a"), "allow"],
    ["Read(*.md)", read("a/b/c.md"), "allow"],
    ["Read(*.{md,txt})", read("a.txt"), "allow"],
    ["Read", read("/etc/passwd"), "allow"],
    ["Read(./**)", read("../x"), "ask"],
    ["Read(./**)", read("link"), "ask"],
    ["Read(./**)", read("inside"), "allow"],
    ["Read(./**)", read("loop"), "ask"],
    ["Read(src/**)", write("src/a.ts"), "ask"],
    ["Edit(src/**)", write("src/a.ts"), "allow"],
    ["write(src/a.ts)", write("src/a.ts"), "allow"],
    ["Write(./**)", write(".git/hooks/pre-commit"), "ask"],
    ["Write(./**)", write(".vscode/settings.json"), "ask"],
    ["Write(.vscode/settings.json)", write(".vscode/settings.json"), "allow"],
  ] as const)("%s allows %j: %s", (rule, subject, expected) => {
    expect(decisionOn({ allow: [rule] }, { subject }).decision).toBe(expected);
  });

  test.each([
    ["Read(.env)", read("a/b/.env")],
    ["Read(**/.env)", read("/srv/other/.env")],
    ["Read(secrets/**)", read("a/secrets/x")],
    ["Read(//etc/**)", read("link")],
    ["Read(src)", read("src/a.ts")],
    ["Edit(src/**)", write("x/../src/a.ts")],
  ] as const)("%s denies %j", (rule, subject) => {
    expect(decisionOn({ allow: ["Read", "Write"], deny: [rule] }, { subject })).toMatchObject({
      decision: "deny",
      rule,
      origin: ORIGIN,
    });
  });
});

describe("addresses", () => {
  test.each([
    ["WebFetch(domain:example.com)", "https://example.com/a", "allow"],
    ["WebFetch(domain:example.com)", "https://EXAMPLE.com./a", "allow"],
    ["WebFetch(domain:example.com)", "https://example.com@evil.test/", "ask"],
    ["WebFetch(domain:example.com)", "https://example.com.evil.test/", "ask"],
    ["WebFetch(domain:example.com)", "https://a.example.com/", "ask"],
    ["WebFetch(domain:*.example.com)", "https://a.b.example.com/", "allow"],
    ["WebFetch(domain:*.example.com)", "https://example.com/", "ask"],
    ["WebFetch(domain:api.*.com)", "https://api.x.com/", "allow"],
    ["WebFetch(domain:api.*.com)", "https://api.x.y.com/", "ask"],
    ["url(github.com)", "https://github.com/x", "allow"],
    ["url(https://github.com/org/*)", "https://github.com/org/x", "allow"],
    ["url(https://github.com/org/*)", "https://github.com/other/x", "ask"],
    ["url(https://github.com/org/*)", "http://github.com/org/x", "ask"],
    ["url(https://github.com/*)", "https://github.com:8443/x", "ask"],
    ["WebFetch", "https://anything.test/", "allow"],
    ["WebFetch(domain:example.com)", "not an address", "ask"],
  ])("%s and %s: %s", (rule, url, expected) => {
    expect(decisionOn({ allow: [rule] }, { subject: { kind: "url", url } }).decision).toBe(expected);
  });
});

describe("other tools", () => {
  const subject: Subject = { kind: "other" };

  test("any name that the resolver takes for the tool counts", () => {
    const asked = { subject, names: ["mcp__github__create_issue", "github/create_issue"] };
    expect(decisionOn({ allow: ["mcp__github__create_issue"] }, asked).decision).toBe("allow");
    expect(decisionOn({ allow: ["github/create_issue"], deny: ["other"] }, asked).decision).toBe("allow");
    expect(decisionOn({ allow: ["other"] }, asked).decision).toBe("ask");
  });

  test("a pattern allows only behind a server's name, and denies anywhere", () => {
    const asked = { subject, names: ["*", "mcp__*", "mcp__github__*", "github/*"] };
    expect(decisionOn({ allow: ["*"] }, asked).decision).toBe("ask");
    expect(decisionOn({ allow: ["mcp__*"] }, asked).decision).toBe("ask");
    expect(decisionOn({ allow: ["mcp__github__*"] }, asked).decision).toBe("allow");
    expect(decisionOn({ allow: ["github/*"], deny: ["*"] }, asked).decision).toBe("deny");
  });

  test("parameters narrow what is denied or asked, and allow nothing", () => {
    const asked = { subject, names: ["t"], args: { branch: "main", deep: { branch: "x" }, count: 3 } };
    expect(decisionOn({ allow: ["t"], deny: ["t(branch:main)"] }, asked).decision).toBe("deny");
    expect(decisionOn({ allow: ["t"], ask: ["t(branch:ma*)"] }, asked).decision).toBe("ask");
    expect(decisionOn({ allow: ["t"], deny: ["t(count:3)"] }, asked).decision).toBe("deny");
    expect(decisionOn({ allow: ["t"], deny: ["t(absent:*)"] }, asked).decision).toBe("allow");
    expect(decisionOn({ allow: ["t(branch:main)"] }, asked).decision).toBe("ask");
  });

  test("a pattern denies where it occurs, and allows only the whole", () => {
    const asked = { subject, names: ["t"], args: { q: "drop table x" } };
    expect(decisionOn({ allow: ["t"], deny: ["t(/drop\\s+table/)"] }, asked).decision).toBe("deny");
    expect(decisionOn({ allow: ["t(/drop/)"] }, asked).decision).toBe("ask");
    expect(decisionOn({ allow: ['t(/\\{"q":"drop [a-z ]+"\\}/)'] }, asked).decision).toBe("allow");
  });
});

describe("modes", () => {
  const subject: Subject = { kind: "other" };

  test.each([
    ["default", {}, "ask"],
    ["plan", {}, "deny"],
    ["plan", { readOnly: true }, "ask"],
    ["dont-ask", {}, "deny"],
    ["bypass", {}, "allow"],
    ["accept-edits", {}, "ask"],
    ["autopilot", {}, "ask"],
    ["default", { readOnly: true, allowReadOnly: true }, "allow"],
  ] as const)("%s with %j: %s", (mode, more, expected) => {
    expect(decisionOn({}, { subject, mode, ...more }).decision).toBe(expected);
  });

  test("no mode goes past a deny or an ask rule", () => {
    for (const mode of ["bypass", "accept-edits", "autopilot", "default"] as const) {
      expect(decisionOn({ deny: ["t"] }, { subject, names: ["t"], mode }).decision).toBe("deny");
      expect(decisionOn({ ask: ["t"], allow: ["t"] }, { subject, names: ["t"], mode }).decision).toBe("ask");
    }
  });

  test("accept-edits writes into the workspace and nowhere else", () => {
    const mode = "accept-edits";
    expect(decisionOn({}, { subject: write("a/b.ts"), mode }).decision).toBe("allow");
    expect(decisionOn({}, { subject: write("../b.ts"), mode }).decision).toBe("ask");
    expect(decisionOn({}, { subject: write("link"), mode }).decision).toBe("ask");
    expect(decisionOn({}, { subject: write(".claude/settings.json"), mode }).decision).toBe("ask");
  });
});

test("a pattern of too many alternatives is an error, and not a rule that leaves some of them out", () => {
  const rule = (count: number) => `Read({${Array.from({ length: count }, (_, at) => `f${at}`).join(",")}})`;
  expect(decisionOn({ deny: [rule(64)] }, { subject: read("f63") }).decision).toBe("deny");
  expect(() => decisionOn({ deny: [rule(65)] }, { subject: read("f64") })).toThrow(
    "has more than 64 alternatives; write several rules",
  );
  expect(() => decisionOn({ deny: ["Read({a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b})"] }, { subject: read("x") })).toThrow();
});
