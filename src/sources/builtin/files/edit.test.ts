import { chmodSync, statSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fileTools } from "../../../../test/support/file-tools.ts";
import { explainMismatch } from "./explain-mismatch.ts";
import { replaceText } from "./replace-text.ts";

describe("create", () => {
  test("makes a file with its folders", async () => {
    const { ok, tree } = fileTools();
    expect(await ok("create", { path: "a/b/c.txt", content: "text" })).toBe("Created a/b/c.txt (4 bytes).");
    expect(tree()).toEqual({ "a/b/c.txt": "text" });
  });

  test("replaces a file only when asked to, and keeps its mode", async () => {
    const { ok, refused, project, tree } = fileTools({ "run.sh": "old" });
    chmodSync(join(project, "run.sh"), 0o755);
    expect(await refused("create", { path: "run.sh", content: "new" })).toContain(
      "exists already. Change a part of it",
    );
    expect(tree()).toEqual({ "run.sh": "old" });
    expect(await ok("create", { path: "run.sh", content: "new", overwrite: true })).toBe("Replaced run.sh (3 bytes).");
    expect([tree(), statSync(join(project, "run.sh")).mode & 0o777]).toEqual([{ "run.sh": "new" }, 0o755]);
  });

  test("refuses a folder, and a path through a file", async () => {
    const { refused } = fileTools({ "a/b": "" });
    expect(await refused("create", { path: "a", content: "", overwrite: true })).toContain("not an ordinary file");
    expect(await refused("create", { path: "a/b/c", content: "" })).toBe("A part of the path is a file, not a folder.");
  });
});

describe("edit", () => {
  test("replaces the one place and says where", async () => {
    const { ok, tree } = fileTools({ "a.txt": "one\ntwo\nthree\n" });
    expect(await ok("edit", { path: "a.txt", old_str: "two\n", new_str: "2\n2.5\n" })).toBe("Edited a.txt at line 2.");
    expect(tree()).toEqual({ "a.txt": "one\n2\n2.5\nthree\n" });
  });

  test("names the lines when there are several, and replaces them all when asked", async () => {
    const { ok, refused, tree } = fileTools({ "a.txt": "x\ny\nx\n" });
    const args = { path: "a.txt", old_str: "x", new_str: "$&" };
    expect(await refused("edit", args)).toContain("occurs 2 times in a.txt, at lines 1, 3. Add lines around it");
    expect(await ok("edit", { ...args, replace_all: true })).toBe("Edited a.txt in 2 places, at lines 1, 3.");
    expect(tree()).toEqual({ "a.txt": "$&\ny\n$&\n" });
  });

  test("keeps CRLF, byte order mark, missing final newline, mode and bytes that are no text", async () => {
    const before = Buffer.concat([
      Buffer.from("\uFEFFone\r\ntwo\r\n"),
      Buffer.from([0xff, 0xfe, 0x80]),
      Buffer.from("end"),
    ]);
    const { ok, bytes, project } = fileTools({ "a.txt": before });
    chmodSync(join(project, "a.txt"), 0o640);
    await ok("edit", { path: "a.txt", old_str: "one\ntwo", new_str: "1\n2" });
    expect(bytes("a.txt")).toEqual(
      Buffer.concat([Buffer.from("\uFEFF1\r\n2\r\n"), Buffer.from([0xff, 0xfe, 0x80]), Buffer.from("end")]),
    );
    expect(statSync(join(project, "a.txt")).mode & 0o777).toBe(0o640);
  });

  test("refuses an empty or equal text, a missing file and a folder", async () => {
    const { refused } = fileTools({ "src/a.txt": "x" });
    expect(await refused("edit", { path: "src/a.txt", old_str: "", new_str: "y" })).toContain("old_str is empty");
    expect(await refused("edit", { path: "src/a.txt", old_str: "x", new_str: "x" })).toContain("are the same");
    expect(await refused("edit", { path: "src/b.txt", old_str: "x", new_str: "y" })).toContain("Near it: src/a.txt");
    expect(await refused("edit", { path: "src", old_str: "x", new_str: "y" })).toBe("src is not an ordinary file.");
  });

  test("law: an edit and its inverse restore every byte", () => {
    let tried = 0;
    const line = fc.string({ unit: fc.constantFrom("a", "b", " ", "é", "😀", "\t"), maxLength: 6 });
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 3, maxLength: 8 }),
        fc.constantFrom("\n", "\r\n"),
        fc.boolean(),
        fc.array(line, { minLength: 1, maxLength: 3 }),
        fc.tuple(fc.nat(), fc.nat()),
        (lines, ending, withMark, freshLines, [from, size]) => {
          const letters = Array.from(lines.join("\n"));
          const start = from % (letters.length + 1);
          const old = letters.slice(start, start + 1 + (size % 12)).join("");
          const fresh = `<${freshLines.join("\n")}>`;
          const file = Buffer.from((withMark ? "\uFEFF" : "") + lines.join(ending));
          if (old === "") return;
          const there = replaceText(file, old, fresh, false);
          // What is not unique is refused, and a file left with one line has no ending to keep to.
          if (there.kind !== "done" || !there.bytes.includes("\n")) return;
          const back = replaceText(there.bytes, fresh, old, false);
          tried += 1;
          expect(back).toMatchObject({ kind: "done", bytes: file });
        },
      ),
      { numRuns: 2000 },
    );
    expect(tried).toBeGreaterThan(300);
  });
});

describe("a text that is not found", () => {
  const FILE = "function add(a, b) {\n\treturn a + b;\n}\n\nconst total = add(1, 2);  \n";

  test.each([
    [
      "function add(a, b) {\n    return a + b;",
      /^Lines 1 to 2 differ only in whitespace \(indentation: the file uses tabs, the text spaces\):\n1\tfunction add/,
    ],
    ["const total = add(1, 2);\n\n", /^It would be found without the blanks or line breaks/],
    ["}\n\nconst total = add(1, 2);\nnext", /^The nearest lines are:\n5\tconst total = add\(1, 2\);/],
    ["  const total  =  add(1, 2);", /^Lines 5 to 5 differ only in whitespace/],
    ["1\tfunction add(a, b) {", /^It carries the line numbers/],
    ["{\\n\\treturn a + b;", /^It holds escaped characters/],
    ["\treturn a - b;", /^The nearest lines are:\n2\t\treturn a \+ b;/],
    ["something else entirely 12345", /^No line of the file is like it/],
    ["   ", /^It holds nothing but whitespace/],
  ])("%j is explained", (wanted, explanation) => {
    expect(FILE).not.toContain(wanted);
    expect(explainMismatch(FILE, wanted)).toMatch(explanation);
  });

  test("in a file of mixed line endings is told of them", async () => {
    const { refused } = fileTools({ "a.txt": "one\r\ntwo\nthree\n" });
    expect(await refused("edit", { path: "a.txt", old_str: "one\ntwo", new_str: "x" })).toContain(
      "mixes line endings (1 CRLF, 2 LF)",
    );
  });

  test("in a very long file is not compared line by line", () => {
    expect(explainMismatch("some line of code\n".repeat(150_000), "some lime")).toContain("look with grep");
  });
});
