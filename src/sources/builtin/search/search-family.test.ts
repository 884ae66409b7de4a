import { mkdirSync, renameSync, symlinkSync, unlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { makeFolder, makeHost, makeRun } from "../../../../test/support/builtin-host.ts";
import { needs } from "../../../../test/support/machine.ts";
import type { Host, Launch } from "../../host.ts";
import { createSearchFamily, type SearchOptions } from "./search-family.ts";

const CODE = {
  "src/app.ts": "import { a } from './a';\nexport function Main() {\n  return a(1);\n}\n",
  "src/a.ts": "export const a = (n: number) => n + 1;\n// TODO: more\n",
  "src/util/b.py": "def main():\n    return 1\n",
  "docs/readme.md": "# Title\n\nTODO write\n",
  "notes.txt": "nothing here\n",
};

describe("grep on the own backend", () => testGrep("off"));
describe("grep on the ripgrep backend", needs("rg"), () => testGrep("auto"));

function testGrep(ripgrep: "off" | "auto"): void {
  const grepIn = (files: Files, more: Options = {}) => start(files, { ripgrep, ...more }).grep;

  test("names the files that match, in order", async () => {
    expect(await grepIn(CODE)({ pattern: "TODO" })).toBe("docs/readme.md\nsrc/a.ts");
  });

  test("finds nothing where nothing is", async () => {
    expect(await grepIn(CODE)({ pattern: "absent" })).toBe("No matches.");
  });

  test("shows matching lines", async () => {
    const grep = grepIn(CODE);
    expect(await grep({ pattern: "TODO", output_mode: "content" })).toBe(
      "docs/readme.md:TODO write\nsrc/a.ts:// TODO: more",
    );
    expect(await grep({ pattern: "TODO", output_mode: "content", "-n": true })).toBe(
      "docs/readme.md:3:TODO write\nsrc/a.ts:2:// TODO: more",
    );
  });

  test("counts matching lines", async () => {
    const grep = grepIn({ "a.txt": "x\nx x\ny\nx", "b.txt": "x" });
    expect(await grep({ pattern: "x", output_mode: "count" })).toBe("a.txt:3\nb.txt:1");
  });

  test("searches a folder or a file", async () => {
    const grep = grepIn(CODE);
    expect(await grep({ pattern: "TODO", path: "src" })).toBe("src/a.ts");
    expect(await grep({ pattern: "TODO", path: "docs/readme.md" })).toBe("docs/readme.md");
  });

  test("takes only files that fit a glob", async () => {
    const grep = grepIn(CODE);
    expect(await grep({ pattern: "main|Main|TODO", glob: "*.py" })).toBe("src/util/b.py");
    expect(await grep({ pattern: ".", glob: "src/*.ts" })).toBe("src/a.ts\nsrc/app.ts");
    expect(await grep({ pattern: ".", glob: "**/*.{py,md}" })).toBe("docs/readme.md\nsrc/util/b.py");
    expect(await grep({ pattern: ".", glob: "!*.ts" })).toBe("docs/readme.md\nnotes.txt\nsrc/util/b.py");
    expect(await grep({ pattern: ".", glob: "*.ts", path: "src" })).toBe("src/a.ts\nsrc/app.ts");
  });

  test("takes only files of a type", async () => {
    const grep = grepIn(CODE);
    expect(await grep({ pattern: ".", type: "py" })).toBe("src/util/b.py");
    expect(await grep({ pattern: ".", type: "ts" })).toBe("src/a.ts\nsrc/app.ts");
    expect(await grep({ pattern: ".", type: "nope" })).toContain('no file type "nope"');
  });

  test("ignores case only when asked", async () => {
    const grep = grepIn({ ...CODE, "u.txt": "ÄPFEL\n" });
    expect(await grep({ pattern: "main" })).toBe("src/util/b.py");
    expect(await grep({ pattern: "main", "-i": true })).toBe("src/app.ts\nsrc/util/b.py");
    expect(await grep({ pattern: "äpfel", "-i": true })).toBe("u.txt");
  });

  test("shows lines around a match, once each, with a break between groups", async () => {
    const files = { "n.txt": Array.from({ length: 20 }, (_, index) => `line ${index + 1}`).join("\n") };
    const grep = grepIn(files);
    const lines = (args: object) => grep({ pattern: "line (5|7|15)$", output_mode: "content", "-n": true, ...args });
    expect(await lines({ "-A": 1 })).toBe(
      "n.txt:5:line 5\nn.txt-6-line 6\nn.txt:7:line 7\nn.txt-8-line 8\n--\nn.txt:15:line 15\nn.txt-16-line 16",
    );
    expect(await lines({ "-B": 1 })).toBe(
      "n.txt-4-line 4\nn.txt:5:line 5\nn.txt-6-line 6\nn.txt:7:line 7\n--\nn.txt-14-line 14\nn.txt:15:line 15",
    );
    expect((await lines({ "-C": 2 })).split("\n")).toHaveLength(7 + 1 + 5);
    expect((await lines({ "-C": 2, "-A": 0 })).split("\n")).toHaveLength(5 + 1 + 3);
  });

  test("lets a pattern span lines only when asked", async () => {
    const grep = grepIn({ "a.txt": "one\nbegin\nmiddle\nend\nfive\nbegin end\n" });
    expect(await grep({ pattern: "begin.*end", output_mode: "count" })).toBe("a.txt:1");
    expect(await grep({ pattern: "begin\\nmiddle" })).toBe("No matches.");
    expect(await grep({ pattern: "begin.*?end", multiline: true, output_mode: "content", "-n": true })).toBe(
      "a.txt:2:begin\na.txt:3:middle\na.txt:4:end\na.txt:6:begin end",
    );
    expect(await grep({ pattern: "begin\\nmiddle", multiline: true, output_mode: "count" })).toBe("a.txt:2");
    expect(await grep({ pattern: "^five$", multiline: true, output_mode: "content", "-n": true })).toBe("a.txt:5:five");
  });

  test("stops at the limit and says that there is more", async () => {
    const grep = grepIn({ "a.txt": "x\n".repeat(10), "b.txt": "x\n", "c.txt": "x\n" });
    expect(await grep({ pattern: "x", head_limit: 2 })).toMatch(/^a\.txt\nb\.txt\n\[more matches; /);
    expect(await grep({ pattern: "x", head_limit: 3 })).toBe("a.txt\nb.txt\nc.txt");
    const content = await grep({ pattern: "x", head_limit: 4, output_mode: "content" });
    expect(content).toMatch(/^(?:a\.txt:x\n){4}\[more matches; /);
    expect(await grep({ pattern: "x", head_limit: 2, output_mode: "count" })).toMatch(/^a\.txt:10\nb\.txt:1\n\[more/);
  });

  test("leaves out what .gitignore names", async () => {
    const grep = grepIn({
      ".gitignore": "*.log\n/build/\nnode_modules\n# comment\n!keep.log\ndocs/*.tmp\n",
      "a.log": "x",
      "keep.log": "x",
      "build/out.js": "x",
      "sub/build/in.js": "x",
      "sub/node_modules/m/index.js": "x",
      "docs/a.tmp": "x",
      "docs/deep/a.tmp": "x",
      "sub/.gitignore": "secret.txt\n!special.log\n",
      "sub/secret.txt": "x",
      "sub/special.log": "x",
      ".git/config": "x",
      ".hidden": "x",
    });
    expect(await grep({ pattern: "^x$" })).toBe(
      [".hidden", "docs/deep/a.tmp", "keep.log", "sub/build/in.js", "sub/special.log"].join("\n"),
    );
    expect(await grep({ pattern: "^x$", glob: "*.log" })).toBe("keep.log\nsub/special.log");
    expect(await grep({ pattern: "^x$", path: "sub" })).toBe("sub/build/in.js\nsub/special.log");
    expect(await grep({ pattern: "^x$", path: "build" })).toBe("build/out.js");
  });

  test("passes over binary files, and reads bytes that are no UTF-8", async () => {
    const grep = grepIn({
      "bin.dat": Buffer.from("needle\0needle"),
      "late.dat": Buffer.concat([Buffer.from("needle\n".repeat(20_000)), Buffer.from([0])]),
      "latin1.txt": Buffer.from([0xff, 0xc3, 0x20, ...Buffer.from("needle\n")]),
      "utf16.txt": Buffer.from("\ufeffneedle\n", "utf16le"),
      "bom.txt": "\ufeffneedle first\n",
    });
    expect(await grep({ pattern: "needle" })).toBe("bom.txt\nlatin1.txt");
    expect(await grep({ pattern: "^needle" })).toBe("bom.txt");
    expect(await grep({ pattern: "needle", output_mode: "content", path: "latin1.txt" })).toBe(
      "latin1.txt:\ufffd\ufffd needle",
    );
  });

  test("does not follow links", async () => {
    const outside = makeFolder({ "secret.txt": "x" });
    const tool = start({ "in.txt": "x" }, { ripgrep });
    symlinkSync(outside, join(tool.workspace, "folder"));
    symlinkSync(join(outside, "secret.txt"), join(tool.workspace, "file"));
    expect(await tool.grep({ pattern: "x" })).toBe("in.txt");
    expect(await tool.grep({ pattern: "x", path: "folder" })).toContain("is outside");
    expect(await tool.grep({ pattern: "x", path: "../" })).toContain("is outside");
    expect(await tool.grep({ pattern: "x", path: "gone" })).toBe("gone does not exist.");
  });

  test("never shows a file from behind a link that is swapped in meanwhile", async () => {
    const outside = makeFolder({ "f.txt": "canary outside\n" });
    const tool = start({ "dir/f.txt": "canary inside\n" }, { ripgrep });
    const dir = join(tool.workspace, "dir");
    let swapping = true;
    const swap = (async () => {
      while (swapping) {
        renameSync(dir, `${dir}-real`);
        symlinkSync(outside, dir);
        await new Promise((resolve) => setImmediate(resolve));
        // Some versions of Node refuse to remove a link to a folder by rmSync.
        unlinkSync(dir);
        renameSync(`${dir}-real`, dir);
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    for (let round = 0; round < (ripgrep === "auto" ? 20 : 200); round += 1) {
      expect(await tool.grep({ pattern: "canary", output_mode: "content" })).not.toContain("outside");
    }
    swapping = false;
    await swap;
  });

  test("cuts long lines and large answers", async () => {
    const grep = grepIn({
      "long.txt": `${"é".repeat(5_000)}needle\n`,
      "many.txt": `${"needle ".repeat(50)}\n`.repeat(1_000),
    });
    const long = await grep({ pattern: "needle", path: "long.txt", output_mode: "content" });
    expect(long).toBe(`long.txt:${"é".repeat(500)} [long line cut]`);
    const many = await grep({ pattern: "needle", path: "many.txt", output_mode: "content", head_limit: 1_000 });
    expect(many.length).toBeLessThan(41_000);
    expect(many).toContain("[more matches;");
  });

  test("cleans what it shows", async () => {
    const grep = grepIn({ "a.txt": "needle\u001b[31mred\u202e\r\n" });
    expect(await grep({ pattern: "needle", output_mode: "content" })).toBe("a.txt:needlered");
  });

  test.each([
    ["interface\\{\\}", "interface{}"],
    ["interface{}", "interface{}"],
    ["foo\\(bar\\)", "foo(bar)"],
    ["\\Bé", "éa"],
    ["\\ba", "éa"],
    ["[^\\w]b", "éb"],
    ["\\Wb", "éb"],
    ["\\S\\d", "x1"],
    ["[[:alpha:]]+-\\d{2}", "abc-12"],
    ["a.c", "aéc"],
    ["(?i)HELLO", "hello"],
    ["[a&&b]x", "&x"],
    ["\\Astart", "start"],
    ["a|", "b"],
    ["\\x41\\.", "A."],
    ["\\pL\\p{Greek}", "aλ"],
  ])("reads %j as every backend does", async (pattern, text) => {
    expect(await grepIn({ "a.txt": `first\n${text}\n` })({ pattern })).toBe("a.txt");
  });

  test.each(["(", "a{1001}", "(?=x)y", "\\1", "[z-a]", "x".repeat(3_000), "((a{30}){30}){30}", ""])(
    "refuses the pattern %j with a reason",
    async (pattern) => {
      const { run } = start({ "a.txt": "x" }, { ripgrep });
      expect((await run("grep", { pattern })).resultType).toBe("failure");
    },
  );

  test("ends when its call is aborted", async () => {
    const controller = new AbortController();
    const { run } = start(CODE, { ripgrep, signal: controller.signal });
    controller.abort();
    expect(await run("grep", { pattern: "x" })).toMatchObject({
      resultType: "failure",
      textResultForLlm: "[stopped before the search was done]",
    });
  });

  test("passes over files that are too large, and says so", async () => {
    const grep = grepIn({ "big.txt": "x\n".repeat(1_000), "a.txt": "x" }, { limits: { fileSize: 1_000 } });
    expect(await grep({ pattern: "x" })).toBe("a.txt\n[passed over 1 files larger than 1000 bytes]");
  });
}

test("grep answers with what it has when time is up, and lets others run meanwhile", async () => {
  // No two lines are alike, so that an engine of linear time finds no state again and has to work for each.
  let state = 1;
  const letter = () => {
    state = (state * 48_271) % 0x7fff_ffff;
    return state & 64 ? "a" : "b";
  };
  const big = Array.from({ length: 10_000 }, () => `${Array.from({ length: 200 }, letter).join("")}yx\n`).join("");
  // Long enough to look into the first file even on a busy machine, and far too short for the other.
  const { grep } = start({ "a.txt": "abx", "big.txt": big }, { ripgrep: "off", limits: { time: 1_500 } });
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 1);
  const text = await grep({ pattern: "\\A(a|b)*a(a|b){40}x|abx", output_mode: "count" });
  clearInterval(timer);
  expect(text).toBe("a.txt:1\n[stopped after 1.5 s; search a smaller folder for the rest]");
  expect(turns).toBeGreaterThan(2);
});

describe("grep with ripgrep", needs("rg"), () => {
  test("ends it when time is up", async () => {
    const wrapLaunch = (launch: Launch) => ({ ...launch, argv: ["sleep", "1000"] });
    const { grep } = start(CODE, { host: { wrapLaunch }, limits: { time: 50 } });
    expect(await grep({ pattern: "x" })).toMatch(/^No matches\.\n\[stopped after 0\.05 s;/);
  });

  test("never loses a file that the own engine finds", async () => {
    const atom = fc.constantFrom(
      "a",
      "B",
      "é",
      ".",
      "\\w",
      "\\W",
      "\\d",
      "\\s",
      "\\S",
      "\\b",
      "^",
      "$",
      "[^a]",
      "[é-ü]",
      "1",
      " ",
    );
    const piece = fc.tuple(atom, fc.constantFrom("", "", "*", "+?", "{1,2}")).map(([what, often]) => what + often);
    const pattern = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(""));
    const text = fc.array(fc.constantFrom("a", "b", "é", "ü", "1", " ", "\n", "\u00a0", "x"), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(
        pattern,
        fc.array(text, { maxLength: 8 }),
        fc.boolean(),
        fc.boolean(),
        async (regex, texts, i, multiline) => {
          const workspace = makeFolder(
            Object.fromEntries(texts.map((parts, index) => [`${index}.txt`, parts.join("")])),
          );
          const args = { pattern: regex, "-i": i, multiline };
          const [own, both] = await Promise.all(
            (["off", "auto"] as const).map((ripgrep) =>
              createSearchFamily({ ripgrep }).handlers.get("grep")?.(args, makeRun(), makeHost(workspace)),
            ),
          );
          expect(both).toEqual(own);
        },
      ),
      { numRuns: 100 },
    );
  });

  test("starts it through the sandbox, without the host's secrets", async () => {
    const launches: Launch[] = [];
    const wrapLaunch = (launch: Launch) => {
      launches.push(launch);
      return launch;
    };
    const { grep } = start(CODE, { host: { wrapLaunch, env: { ...process.env, TOKEN: "s3cret" } } });
    expect(await grep({ pattern: "TODO" })).toBe("docs/readme.md\nsrc/a.ts");
    expect(launches).toHaveLength(1);
    expect(JSON.stringify(launches)).not.toContain("s3cret");
  });

  test.each([
    ["does not exist", ["no-such-sandbox"]],
    ["does not start", ["sh", "-c", "echo no namespaces >&2; exit 1"]],
  ])("answers without it when the sandbox %s", async (_, front) => {
    const wrapLaunch = (launch: Launch) => ({ ...launch, argv: [...front, ...launch.argv] });
    const { grep } = start(CODE, { host: { wrapLaunch } });
    expect(await grep({ pattern: "TODO" })).toBe("docs/readme.md\nsrc/a.ts");
  });
});

describe("glob", () => {
  test("finds files by pattern, newest first", async () => {
    const { glob, workspace } = start(CODE);
    const ages = { "src/a.ts": 10, "src/app.ts": 20, "src/util/b.py": 30, "docs/readme.md": 5, "notes.txt": 1 };
    for (const [file, seconds] of Object.entries(ages)) utimesSync(join(workspace, file), seconds, seconds);
    expect(await glob({ pattern: "**/*.ts" })).toBe("src/app.ts\nsrc/a.ts");
    expect(await glob({ pattern: "*.ts" })).toBe("src/app.ts\nsrc/a.ts");
    expect(await glob({ pattern: "src/**" })).toBe("src/util/b.py\nsrc/app.ts\nsrc/a.ts");
    expect(await glob({ pattern: "/notes.txt" })).toBe("notes.txt");
    expect(await glob({ pattern: "**/{a,b}.*" })).toBe("src/util/b.py\nsrc/a.ts");
    expect(await glob({ pattern: "util/*", path: "src" })).toBe("src/util/b.py");
    expect(await glob({ pattern: "*.rs" })).toBe("No files match.");
  });

  test("leaves out what is ignored, and what lies behind links", async () => {
    const { glob, workspace } = start({ ".gitignore": "out\n", "out/a.ts": "", "b.ts": "", ".git/x.ts": "" });
    symlinkSync("/etc", join(workspace, "etc"));
    mkdirSync(join(workspace, "empty"));
    expect(await glob({ pattern: "**" })).toMatch(/^(?:b\.ts\n\.gitignore|\.gitignore\nb\.ts)$/);
    expect(await glob({ pattern: "**", path: "etc" })).toContain("is outside");
  });

  test("shows no more than so many, and says how many there are", async () => {
    const files = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`f${index}.txt`, ""]));
    const { glob } = start(files, { limits: { shown: 10 } });
    const lines = (await glob({ pattern: "*.txt" })).split("\n");
    expect(lines).toHaveLength(11);
    expect(lines[10]).toBe("[20 more files; narrow the pattern]");
  });

  test.each(["", "{a", "x".repeat(2_000)])("refuses %j", async (pattern) => {
    expect((await start(CODE).run("glob", { pattern })).resultType).toBe("failure");
  });

  test("says so where there is no workspace", async () => {
    const family = createSearchFamily();
    const result = await family.handlers.get("glob")?.({ pattern: "*" }, makeRun(), makeHost(null));
    expect(result).toMatchObject({ resultType: "failure", textResultForLlm: "There is no workspace to search." });
  });
});

type Files = Readonly<Record<string, string | Uint8Array>>;
type Options = SearchOptions & { host?: Partial<Host>; signal?: AbortSignal };

function start(files: Files, { host, signal, ...options }: Options = {}) {
  const workspace = makeFolder(files);
  const family = createSearchFamily(options);
  const port = makeHost(workspace, host);
  const run = (name: string, args: Record<string, unknown>) => {
    const handler = family.handlers.get(name);
    if (handler === undefined) throw new Error(`no handler for ${name}`);
    return handler(args, makeRun(signal), port);
  };
  const text = (name: string) => async (args: Record<string, unknown>) => (await run(name, args)).textResultForLlm;
  return { workspace, run, grep: text("grep"), glob: text("glob") };
}
