import { chmodSync, statSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { failingDisk } from "../../../../test/support/failing-disk.ts";
import { fileTools } from "../../../../test/support/file-tools.ts";
import { applyHunks } from "./apply-hunks.ts";
import type { PatchLine } from "./patch.ts";

const patch = (...lines: string[]) => ({ input: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") });

describe("a patch", () => {
  test("adds, updates, moves and deletes in one go", async () => {
    const { ok, tree, project } = fileTools({ "a.txt": "1\n2\n3\n", "b.sh": "x\ny\n", "c.txt": "gone\n" });
    chmodSync(join(project, "b.sh"), 0o755);
    const text = await ok(
      "apply_patch",
      patch(
        "*** Add File: new/d.txt",
        "+one",
        "+",
        "*** Update File: a.txt",
        "@@",
        " 1",
        "-2",
        "+two",
        " 3",
        "*** Update File: b.sh",
        "*** Move to: bin/b.sh",
        "@@ x",
        "-y",
        "+z",
        "*** Delete File: c.txt",
      ),
    );
    expect(text).toBe("Added new/d.txt\nUpdated a.txt\nUpdated b.sh, now bin/b.sh\nDeleted c.txt");
    expect(tree()).toEqual({ "a.txt": "1\ntwo\n3\n", "bin/b.sh": "x\nz\n", "new/d.txt": "one\n\n" });
    expect(statSync(join(project, "bin/b.sh")).mode & 0o777).toBe(0o755);
  });

  test("finds the place by the lines after @@, one after the other", async () => {
    const { ok, tree } = fileTools({ "a.py": "class A:\n  def f():\n    pass\nclass B:\n  def f():\n    pass\n" });
    await ok(
      "apply_patch",
      patch("*** Update File: a.py", "@@ class B:", "@@   def f():", "-    pass", "+    return 1"),
    );
    expect(tree()["a.py"]).toBe("class A:\n  def f():\n    pass\nclass B:\n  def f():\n    return 1\n");
  });

  test("changes the middle of a file of very many lines", () => {
    const around = "x\n".repeat(200_000);
    const lines: PatchLine[] = [
      { kind: "remove", text: "y" },
      { kind: "add", text: "z" },
    ];
    const changed = applyHunks(`${around}y\n${around}`, [{ headers: [], lines, atEnd: false }], "a.txt");
    expect(changed === `${around}z\n${around}`).toBe(true);
  });

  test("takes several hunks of a file in their order", async () => {
    const { ok, tree } = fileTools({ "a.txt": "x\n1\nx\n2\nx\n3\n" });
    await ok(
      "apply_patch",
      patch("*** Update File: a.txt", "@@", "-x", "+a", "@@", "-x", "+b", "@@", "-x", "+c", " 3"),
    );
    expect(tree()["a.txt"]).toBe("a\n1\nb\n2\nc\n3\n");
  });

  test("puts added lines after their header, or at the end of the file", async () => {
    const { ok, tree } = fileTools({ "a.txt": "1\n2\n", "b.txt": "1\n2\n" });
    await ok("apply_patch", patch("*** Update File: a.txt", "@@ 1", "+1.5", "*** Update File: b.txt", "@@", "+3"));
    expect(tree()).toEqual({ "a.txt": "1\n1.5\n2\n", "b.txt": "1\n2\n3\n" });
  });

  test("takes the end of the file when it says so", async () => {
    const { ok, tree } = fileTools({ "a.txt": "x\ny\nx\n" });
    await ok("apply_patch", patch("*** Update File: a.txt", "@@", "-x", "+z", "*** End of File"));
    expect(tree()["a.txt"]).toBe("x\ny\nz\n");
  });

  test("overlooks whitespace at line ends, and keeps that of context lines", async () => {
    const { ok, tree } = fileTools({ "a.txt": "keep  \nold\t\nend\n" });
    await ok("apply_patch", patch("*** Update File: a.txt", "@@", " keep", "-old", "+new", " end"));
    expect(tree()["a.txt"]).toBe("keep  \nnew\nend\n");
  });

  test("does not overlook indentation", async () => {
    const { refused } = fileTools({ "a.txt": "\told\n" });
    expect(await refused("apply_patch", patch("*** Update File: a.txt", "@@", "-    old", "+new"))).toContain(
      'The nearest place differs at line 1, which is "\\told", not "    old".',
    );
  });

  test.each([
    ["CRLF", "1\r\n2\r\n3\r\n", "1\r\ntwo\r\n3\r\n"],
    ["CRLF without a final newline", "1\r\n2", "1\r\ntwo"],
    ["no final newline", "1\n2", "1\ntwo"],
    ["a byte order mark", "\uFEFF1\n2\n", "\uFEFF1\ntwo\n"],
  ])("keeps %s", async (_, before, after) => {
    const { ok, bytes } = fileTools({ "a.txt": before });
    await ok("apply_patch", patch("*** Update File: a.txt", "@@", " 1", "-2", "+two"));
    expect(bytes("a.txt").toString()).toBe(after);
  });

  test("may name one file several times", async () => {
    const { ok, tree } = fileTools({ "a.txt": "1\n" });
    const sections = ["*** Update File: a.txt", "@@", "-1", "+2", "*** Update File: ./a.txt", "@@", "-2", "+3"];
    await ok("apply_patch", patch(...sections));
    expect(tree()).toEqual({ "a.txt": "3\n" });
    await ok("apply_patch", patch("*** Delete File: a.txt", "*** Add File: a.txt", "+new"));
    expect(tree()).toEqual({ "a.txt": "new\n" });
  });
});

describe("a patch that does not fit names file and hunk, and changes nothing", () => {
  test.each([
    [["nonsense"], 'Line 2 of the patch must be "*** Add File: "'],
    [[], "The patch names no file."],
    [["*** Add File: a.txt", "+x"], "Add File a.txt: it exists already; use Update File."],
    [["*** Add File: n.txt", "x"], 'Add File n.txt: line 3 of the patch must start with "+".'],
    [["*** Delete File: b.txt"], "Delete File b.txt: it does not exist. Near it: a.txt, c.txt."],
    [["*** Update File: b.txt", "@@", "-1", "+2"], "Update File b.txt: it does not exist. Near it: a.txt, c.txt."],
    [["*** Update File: a.txt"], "Update File a.txt: there is no hunk in it."],
    [["*** Update File: a.txt", "@@", " 1"], "Update File a.txt, hunk 1: it neither adds nor removes a line."],
    [["*** Update File: a.txt", "@@", "?"], "Update File a.txt, hunk 1: line 4 of the patch must start with"],
    [["*** Update File: a.txt", "@@ nowhere", "+2"], 'Update File a.txt, hunk 1: no line "nowhere" after line 0.'],
    [
      ["*** Update File: a.txt", "@@", "-1", "+x", "@@", "-9", "+x"],
      "Update File a.txt, hunk 2: its line does not occur",
    ],
    [
      ["*** Update File: a.txt", "@@", "-3", "+x", "@@", "-1", "+x"],
      "They are at line 1, before that: hunks must follow",
    ],
    [
      ["*** Update File: a.txt", "*** Move to: c.txt", "@@", "-1", "+x"],
      "it cannot move to c.txt, which exists already.",
    ],
    [["*** Update File: raw", "@@", "-1", "+x"], "raw is not UTF-8 text"],
  ])("%j", async (lines, problem) => {
    const { refused, tree } = fileTools({ "a.txt": "1\n2\n3\n", "c.txt": "", raw: Buffer.from([0xff, 0x31]) });
    const before = tree();
    const text = await refused("apply_patch", patch(...lines));
    expect(text).toContain(problem);
    expect(text).toMatch(/Nothing was changed\.$/);
    expect(tree()).toEqual(before);
  });

  test("also when the sections before it fit", async () => {
    const { refused, tree } = fileTools({ "a.txt": "1\n" });
    await refused("apply_patch", patch("*** Add File: b.txt", "+x", "*** Update File: a.txt", "@@", "-9", "+x"));
    expect(tree()).toEqual({ "a.txt": "1\n" });
  });

  test.each(["", "*** Begin Patch\n*** Delete File: a", "--- a\n+++ b"])("%j has no frame", async (input) => {
    const { refused } = fileTools();
    expect(await refused("apply_patch", { input })).toMatch(/^The patch must (?:start|end) with/);
  });
});

test("whichever step on disk fails, the whole patch is applied or none of it", async () => {
  const files = { "a.txt": "1\n", "b.txt": "2\n", "c.txt": "3\n" };
  const after = { "a.txt": "one\n", "d/e.txt": "2\nmoved\n", "f.txt": "new\n" };
  const input = patch(
    "*** Update File: a.txt",
    "@@",
    "-1",
    "+one",
    "*** Update File: b.txt",
    "*** Move to: d/e.txt",
    "@@ 2",
    "+moved",
    "*** Delete File: c.txt",
    "*** Add File: f.txt",
    "+new",
  );
  for (let fatal = 1, failed = true; failed; fatal += 1) {
    const { call, tree } = fileTools(files, failingDisk(fatal).disk);
    failed = await call("apply_patch", input).then(
      ({ resultType }) => resultType === "failure",
      () => true,
    );
    expect(tree(), `step ${fatal}`).toEqual(failed ? files : after);
    if (!failed) expect(fatal).toBeGreaterThan(40);
  }
});

test("law: a hunk and the hunk the other way round restore the file", () => {
  const line = fc.string({ unit: fc.constantFrom("a", "b", " "), maxLength: 3 });
  const numbered = fc
    .array(fc.tuple(fc.constantFrom<PatchLine["kind"]>("context", "remove", "add"), line), {
      minLength: 1,
      maxLength: 9,
    })
    .map((lines) => lines.map(([kind, text], at): PatchLine => ({ kind, text: `${at}${text}` })));
  fc.assert(
    fc.property(numbered, fc.constantFrom("\n", "\r\n"), fc.array(line), (lines, ending, around) => {
      const side = (dropped: PatchLine["kind"]) => lines.filter(({ kind }) => kind !== dropped).map(({ text }) => text);
      const join = (middle: readonly string[]) => ["^", ...around, ...middle, "$", ""].join(ending);
      const hunk = (swap: boolean) => ({
        headers: [],
        atEnd: false,
        lines: [
          ...around.map((text): PatchLine => ({ kind: "context", text })),
          ...lines.map(({ kind, text }): PatchLine => ({ kind: swap ? flip(kind) : kind, text })),
          { kind: "context", text: "$" } as const,
        ],
      });
      const [before, after] = [join(side("add")), join(side("remove"))];
      expect(applyHunks(before, [hunk(false)], "x")).toBe(after);
      expect(applyHunks(after, [hunk(true)], "x")).toBe(before);
    }),
  );
});

function flip(kind: PatchLine["kind"]): PatchLine["kind"] {
  if (kind === "context") return kind;
  return kind === "add" ? "remove" : "add";
}
