import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { type Origin, sourced } from "../../src/core/codes/origin.ts";
import { compileRules, loadPatterns } from "../../src/core/rules/compile-rules.ts";
import { decide, type PermissionMode, type Subject } from "../../src/core/rules/decide.ts";
import { matchesName } from "../../src/core/rules/glob-match.ts";
import { fromSymlinks } from "../../src/core/rules/paths.ts";
import { parseRule } from "../../src/core/rules/rule.ts";
import { createShellReader, type ShellReader } from "../../src/system/shell/read-command-line.ts";

/**
 * Few rules are matched one after the other, and of many rules those that a call may concern are found first. So many
 * rules that are about none of the calls must change nothing, not even the words of an answer (X2).
 */
const MANY = 40;

const WORLD = {
  cwd: "/home/dev/work",
  workspace: "/home/dev/work",
  home: "/home/dev",
  readLink: fromSymlinks(
    [
      ["link", "/etc/passwd"],
      ["inside", "src/a.ts"],
      ["loop", "loop"],
    ],
    "/home/dev/work",
  ),
};
const RULES: Origin = { kind: "file", file: "/home/dev/work/toolcrib.yaml", line: 2 };
const LISTS = ["deny", "ask", "allow"] as const;

let reader: ShellReader;

beforeAll(async () => {
  reader = await createShellReader();
  await loadPatterns({ deny: [sourced(parseRule("t(/x/)", RULES), RULES)], ask: [], allow: [] });
});

const NAMES = ["git", "GIT", "/usr/bin/git", "./git", "git-push", "python", "python3", "python3.11", "/opt/x/../git"];
const MORE_NAMES = ["gcc-12", "gcc", "rm", "docker", "cd", "env", "curl", "cat", "tee", "/bin/cat", "npm", "bin/run/"];
const WORDS = ["push", "log", "-C", "src", "--force", "origin", "container", "run", ".env", "a.txt", "src/a.ts", "x y"];
const PIECES = [
  "src",
  "SRC",
  "docs",
  ".env",
  "a.ts",
  "é.pem",
  "É.pem",
  "link",
  "inside",
  "..",
  ".git",
  "x.{ts,js}",
  "k",
];
const HOSTS = [
  "example.com",
  "docs.example.com",
  "EXAMPLE.com.",
  "a.b.example.com:8080",
  "localhost:3000",
  "münchen.de",
];
const TOOLS = ["notes/list", "notes/drop", "other/list", "plain"];

const anyName = fc.constantFrom(...NAMES, ...MORE_NAMES);
const anyWord = fc.constantFrom(...WORDS);

/** As in rules about commands: prefixes, exact commands, wildcards and patterns. */
const anyCommandRule = fc
  .tuple(anyName, fc.array(anyWord, { maxLength: 2 }), fc.constantFrom(":*", " *", "", "*", "* --force", " * origin *"))
  .map(([name, words, end]) => `${[name, ...words].join(" ")}${end}`);
const anyShellRule = fc.oneof(
  { weight: 6, arbitrary: anyCommandRule },
  {
    weight: 1,
    arbitrary: fc.constantFrom("*", "* push", "gi*", "g*t *", "g?t log *", "/pu.h/", "/^cat/", '"rm -rf" x'),
  },
);

const anyPiece = fc.constantFrom(...PIECES);
const anyGlobPiece = fc.oneof(anyPiece, fc.constantFrom("**", "*", "*.ts", "*.pem", "[!A-Z]*", "s?c", ".e*"));
const anyFileRule = fc
  .tuple(
    fc.constantFrom("", "", "/", "//home/dev/work/", "//", "~/", "~/work/", "./", "../"),
    fc.array(anyGlobPiece, { minLength: 1, maxLength: 3 }),
  )
  .map(([start, pieces]) => start + pieces.join("/"));

const anyHost = fc.constantFrom(...HOSTS);
const anyAddressRule = fc.oneof(
  anyHost.map((host) => `domain:${host}`),
  anyHost.map((host) => `domain:*.${host}`),
  anyHost.map((host) => `https://${host}/docs/*`),
  anyHost,
  fc.constantFrom("domain:*", "domain:docs.*.com", "http://*.example.com/*", "/exa/"),
);

const withTool = (tools: readonly string[], specifiers: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(fc.constantFrom(...tools), fc.option(specifiers, { freq: 8 }))
    .map(([tool, text]) => (text === null ? tool : `${tool}(${text})`));

const anyRule = fc.oneof(
  { weight: 4, arbitrary: withTool(["Bash", "shell"], anyShellRule) },
  { weight: 4, arbitrary: withTool(["Read", "Edit", "Write", "view"], anyFileRule) },
  { weight: 2, arbitrary: withTool(["WebFetch", "url"], anyAddressRule) },
  {
    weight: 3,
    arbitrary: withTool(
      [...TOOLS, "notes/*", "*", "*/list", "missing"],
      fc.constantFrom("id:root", "id:r*", "root", "/ro+t/", "name:root"),
    ),
  },
);

const anyLists = fc.record({
  deny: fc.array(anyRule, { maxLength: 6 }),
  ask: fc.array(anyRule, { maxLength: 4 }),
  allow: fc.array(anyRule, { maxLength: 8 }),
});

const anyPath = fc
  .tuple(
    fc.constantFrom("", "", "/home/dev/work/", "/home/dev/", "/", "../"),
    fc.array(anyPiece, { minLength: 1, maxLength: 3 }),
  )
  .map(([start, pieces]) => start + pieces.join("/"));
const anyUrl = fc
  .tuple(
    fc.constantFrom("https://", "http://", "ftp://", "", "https://user@"),
    anyHost,
    fc.constantFrom("", "/docs/a", "/%64ocs//a", "/"),
  )
  .map((parts) => parts.join(""));

const anyOperand = fc.oneof(
  anyWord.map((word) => (word.includes(" ") ? `"${word}"` : word)),
  anyPath,
  anyUrl,
  fc.constantFrom(
    '"$x"',
    "*.ts",
    "s*/a.ts",
    "~/work/.env",
    "$(cat .env)",
    "--registry=example.com",
    "> out.txt",
    "< .env",
    "| cat",
  ),
);
const anyCommand = fc
  .tuple(
    fc.oneof(
      { weight: 9, arbitrary: anyName },
      { weight: 1, arbitrary: fc.constantFrom("$x", "g*", "X=1", '"rm -rf"', "sudo git", "env git") },
    ),
    fc.array(anyOperand, { maxLength: 4 }),
  )
  .map(([name, operands]) => [name, ...operands].join(" "));
const anyLine = fc
  .tuple(fc.array(anyCommand, { minLength: 1, maxLength: 3 }), fc.constantFrom(" && ", "; ", " | "))
  .map(([commands, between]) => commands.join(between));

const anySubject: fc.Arbitrary<() => Subject> = fc.oneof(
  { weight: 5, arbitrary: anyLine.map((text) => () => ({ kind: "shell", line: reader.read(text) }) as const) },
  { weight: 1, arbitrary: anyLine.map((text) => () => ({ kind: "typed", line: reader.read(text) }) as const) },
  {
    weight: 3,
    arbitrary: fc.array(anyPath, { maxLength: 2 }).map((paths) => () => ({ kind: "read", paths }) as const),
  },
  { weight: 3, arbitrary: anyPath.map((path) => () => ({ kind: "write", paths: [path], shown: [path] }) as const) },
  { weight: 3, arbitrary: anyUrl.map((url) => () => ({ kind: "url", url }) as const) },
  { weight: 1, arbitrary: fc.constant(() => ({ kind: "plan" }) as const) },
  { weight: 4, arbitrary: fc.constant(() => ({ kind: "other" }) as const) },
);

const anyCall = fc.record({
  subject: anySubject,
  tool: fc.constantFrom(...TOOLS),
  args: fc.constantFrom({}, { id: "root" }, { list: [{ name: "root" }] }),
  mode: fc.constantFrom<PermissionMode>("default", "plan", "accept-edits", "bypass"),
  allowReadOnly: fc.boolean(),
  isConfined: fc.boolean(),
  asksAtOnce: fc.boolean(),
});

type Lists = Readonly<Record<(typeof LISTS)[number], readonly string[]>>;

const compile = (lists: Lists) => {
  const toRules = (texts: readonly string[]) => texts.map((text) => sourced(parseRule(text, RULES), RULES));
  return compileRules({ deny: toRules(lists.deny), ask: toRules(lists.ask), allow: toRules(lists.allow) }, WORLD);
};

function answer(
  rules: ReturnType<typeof compileRules>,
  { subject, tool, args, asksAtOnce, isConfined, ...how }: CallOf,
) {
  const isMeantBy = (identifier: string): boolean => matchesName(identifier, tool);
  const call = {
    ...{ toolName: tool, isMeantBy, subject: subject(), arguments: args, readOnly: false },
    ...(asksAtOnce ? { meantAmong: (identifiers: readonly string[]) => identifiers.filter(isMeantBy) } : {}),
  };
  const covers = (start: string): boolean => start.startsWith("/home/dev/work/");
  return decide(call, rules, {
    ...WORLD,
    ...how,
    ...(isConfined ? { confinement: { covers }, sandboxed: RULES } : {}),
  });
}

type CallOf = typeof anyCall extends fc.Arbitrary<infer Call> ? Call : never;

const NOTHING = Array.from({ length: MANY }, (_, at) => `nowhere/tool_${at}`);

function amongMany(lists: Lists, place: number): ReturnType<typeof compileRules> {
  const among = (rules: readonly string[]) => [...rules.slice(0, place), ...NOTHING, ...rules.slice(place)];
  return compile({ deny: among(lists.deny), ask: among(lists.ask), allow: among(lists.allow) });
}

test("rules that are found answer like rules that are all looked at", () => {
  const anyPlace = fc.integer({ min: 0, max: 4 });
  fc.assert(
    fc.property(anyLists, anyPlace, fc.array(anyCall, { minLength: 1, maxLength: 6 }), (lists, place, calls) => {
      const few = compile(lists);
      const many = amongMany(lists, place);
      for (const call of calls) expect(answer(many, call)).toEqual(answer(few, call));
    }),
    { numRuns: 150 },
  );
});

const shell = (text: string) => () => ({ kind: "shell", line: reader.read(text) }) as const;
const write = (path: string) => () => ({ kind: "write", paths: [path] }) as const;
const fetching = (url: string) => () => ({ kind: "url", url }) as const;

test.each<[string, () => Subject]>([
  ["Bash(git push:*)", shell("git-push origin")],
  ["Bash(git push:*)", shell("/usr/lib/git-core/git-push origin")],
  ["Bash(rm -rf x)", shell('"rm -rf" x')],
  ["Bash(rm:*)", shell("/bin/r* x")],
  ["Bash(RM:*)", shell("/bin/rm x")],
  ["Bash(/opt/x/../run/:*)", shell("/opt/run x")],
  ["Bash(/opt/run:*)", shell("/opt/run/. x")],
  ["Bash(python:*)", shell("/usr/bin/python3.11 x.py")],
  ["Bash(python3.:*)", shell("python3.11 x.py")],
  ["Bash(docker run:*)", shell("docker container run x")],
  ["Bash(cat* .env)", shell("/bin/catx .env")],
  ["Bash(* --force)", shell("git push --force")],
  ["Bash(ca? * * *)", shell("cat a b")],
  ["Bash(/env$/)", shell("cat .env")],
  ["Bash", shell("ls")],
  ["shell(rm)", shell("rm -rf x")],
  ["Bash(git push:*)", shell('git "$x"')],
  ["Bash(cat x)", shell("sudo cat x")],
  ["Read(secret.txt)", shell("cat < SECRET.txt")],
  ["Read(secret.txt)", shell("cat secr*")],
  ["Read(secret.*)", shell("cat docs/secret.txt")],
  ["Edit(secret.txt)", shell("echo x > secret.txt")],
  ["WebFetch(domain:*.example.com)", shell("curl -x http://a.b.example.com:3128 https://x.test")],
  ["Edit(src/**)", write("SRC/a.ts")],
  ["Edit(É.txt)", write("docs/e\u0301.txt")],
  ["Edit(//etc/**)", write("link")],
  ["Edit(link)", write("link")],
  ["Edit(*.{pem,key})", write("docs/a.key")],
  ["Edit([!A-Z]*)", write("docs/a")],
  ["Edit([A-Z]*)", write("A")],
  ["Edit(**)", write("a")],
  ["Edit(~/work/x/)", write("x/y/z")],
  ["WebFetch(domain:*.example.com)", fetching("https://a.b.EXAMPLE.com.:8080/x")],
  ["WebFetch(domain:docs.*.com)", fetching("https://docs.example.com/")],
  ["WebFetch(https://example.com:8080/*)", fetching("https://example.com:8080/x")],
  ["WebFetch(https://example.com/*)", fetching("http://example.com:8080/x")],
  ["WebFetch(domain:münchen.de)", fetching("https://xn--mnchen-3ya.de/")],
  ["WebFetch(domain:*)", fetching("https://x.test")],
  ["url", fetching("https://x.test")],
  ["notes/list(id:root)", () => ({ kind: "other" })],
  ["notes/*", () => ({ kind: "other" })],
])("%s is found among many", (rule, subject) => {
  const call: CallOf = {
    ...{ subject, tool: "notes/list", args: { id: "root" }, mode: "default", allowReadOnly: true },
    ...{ isConfined: false, asksAtOnce: false },
  };
  const lists = { deny: [rule], ask: [], allow: [] };
  expect(answer(compile(lists), call)).not.toEqual(answer(compile({ ...lists, deny: [] }), call));
  expect(answer(amongMany(lists, 0), call)).toEqual(answer(compile(lists), call));
});

test.each<[string, () => Subject]>([
  ['Bash(echo "a b")', shell('echo "a b"')],
  ["Bash(git log:*)", shell("git --no-pager log")],
  ["Bash(npm run*)", shell("npm runx")],
  ["Edit(.idea/x)", write(".idea/x")],
  ["Edit(x.{a,b})", write("x.{a,b}")],
  ["Read(x.{a,b})", () => ({ kind: "read", paths: ["deep/x.{a,b}"] })],
])("%s is found among many that allow", (rule, subject) => {
  const call: CallOf = {
    ...{ subject, tool: "plain", args: {}, mode: "default", allowReadOnly: false },
    ...{ isConfined: false, asksAtOnce: false },
  };
  const lists = { deny: [], ask: [], allow: [rule] };
  expect(answer(compile(lists), call).decision).toBe("allow");
  expect(answer(amongMany(lists, 0), call)).toEqual(answer(compile(lists), call));
});
