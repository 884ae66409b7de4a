import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fileTools } from "../../../../test/support/file-tools.ts";
import { createSession } from "../../../runtime/session/library.ts";
import { insertLines } from "./insert-lines.ts";

const EDITOR = "str_replace_based_edit_tool";

describe("the combined editor", () => {
  test.each([
    ["view", { path: "a.txt", view_range: [2, 2] }, "view", { path: "a.txt", view_range: [2, 2] }],
    ["view", { path: "." }, "view", { path: "." }],
    ["create", { path: "b/c.txt", file_text: "new" }, "create", { path: "b/c.txt", content: "new" }],
    ["create", { path: "a.txt", file_text: "new" }, "create", { path: "a.txt", content: "new" }],
    [
      "create",
      { path: "a.txt", file_text: "new", overwrite: true },
      "create",
      { path: "a.txt", content: "new", overwrite: true },
    ],
    [
      "str_replace",
      { path: "a.txt", old_str: "two", new_str: "2" },
      "edit",
      { path: "a.txt", old_str: "two", new_str: "2" },
    ],
    ["str_replace", { path: "a.txt", old_str: "two\n" }, "edit", { path: "a.txt", old_str: "two\n", new_str: "" }],
    [
      "str_replace",
      { path: "a.txt", old_str: "x", new_str: "y" },
      "edit",
      { path: "a.txt", old_str: "x", new_str: "y" },
    ],
    ["view", { path: "../a.txt" }, "view", { path: "../a.txt" }],
  ])("does with %s %j what %s does", async (command, args, tool, own) => {
    const [one, other] = [fileTools({ "a.txt": "one\ntwo\nthree\n" }), fileTools({ "a.txt": "one\ntwo\nthree\n" })];
    expect(await one.call(EDITOR, { command, ...args })).toEqual(await other.call(tool, own));
    expect(one.tree()).toEqual(other.tree());
  });

  test("inserts whole lines, with the endings of the file", async () => {
    const { ok, refused, tree } = fileTools({ "a.txt": "one\r\ntwo", "u.txt": Buffer.from([0xff, 0xfe, 0x41, 0]) });
    expect(await ok(EDITOR, { command: "insert", path: "a.txt", insert_line: 1, insert_text: "x\ny" })).toBe(
      "Edited a.txt: inserted 2 lines behind line 1.",
    );
    await ok(EDITOR, { command: "insert", path: "a.txt", insert_line: 4, insert_text: "end" });
    await ok(EDITOR, { command: "insert", path: "a.txt", insert_line: 0, insert_text: "start\n" });
    expect(tree()["a.txt"]).toBe("start\r\none\r\nx\r\ny\r\ntwo\r\nend");
    const insert = (path: string, more: object) =>
      refused(EDITOR, { command: "insert", path, insert_line: 1, insert_text: "x", ...more });
    expect(await insert("a.txt", { insert_line: 9 })).toBe("a.txt has 6 lines; there is nothing behind line 9.");
    expect(await insert("a.txt", { insert_text: "" })).toContain("nothing to change");
    expect(await insert("a.txt", { insert_line: -1 })).toContain('"insert_line" must be a whole number');
    expect(await insert("none.txt", {})).toContain("none.txt does not exist.");
    expect(await insert("u.txt", {})).toContain("not UTF-8 text");
  });

  test("names its commands where it gets another one", async () => {
    const { refused } = fileTools();
    expect(await refused(EDITOR, { command: "undo_edit", path: "a.txt" })).toContain(
      "view, create, str_replace, insert",
    );
  });

  test("law: what stood in a file stays, in order, around what was inserted", () => {
    const line = fc.stringMatching(/^[a-zé]{0,4}$/);
    const text = fc.tuple(fc.array(line, { maxLength: 5 }), fc.constantFrom("\n", "\r\n"), fc.boolean(), fc.boolean());
    fc.assert(
      fc.property(
        text,
        fc.nat(5),
        fc.stringMatching(/^[x-z]{1,3}(\n[x-z]{1,3})?\n?$/),
        ([lines, end, closed, mark], at, added) => {
          const body = `${lines.join(end)}${closed && lines.length > 0 ? end : ""}`;
          const file = Buffer.from(`${mark ? "\uFEFF" : ""}${body}`);
          const rows = (value: string): string[] => (value === "" ? [] : value.replace(/\r?\n$/, "").split(/\r?\n/));
          const done = insertLines(file, at, added);
          if (done.kind === "past-end") {
            expect(at).toBeGreaterThan(done.lines);
            return;
          }
          const found = done.bytes.toString();
          expect(found.startsWith("\uFEFF")).toBe(mark);
          const before = rows(body);
          expect(rows(found.replace("\uFEFF", ""))).toEqual([
            ...before.slice(0, at),
            ...rows(added),
            ...before.slice(at),
          ]);
        },
      ),
    );
  });
});

describe("a session whose model wants the combined editor", () => {
  const open = (more: object = {}) => {
    const { project, tree } = fileTools({ "a.txt": "one\n", "kept/b.txt": "KEY=canary\n" });
    const models = { "claude-*": { variants: ["edit:commands"] } };
    const asked: string[] = [];
    const session = createSession({
      workspace: project,
      builtins: "all",
      model: { provider: "anthropic", id: "claude-sonnet-4-5" },
      models,
      onPermissionRequest: ({ kind, reason }) => {
        asked.push(`${kind}: ${reason}`);
        return { decision: "allow" };
      },
      ...more,
    });
    return { session, asked, tree };
  };

  test("sees that form alone, and is told why the others are hidden", async () => {
    const standing = async (more: object) => {
      const session = await open(more).session;
      const found = session.toolset.placements.filter(({ entry }) => entry.tool.variant?.startsWith("edit:"));
      await session.close();
      return found.map(({ entry, standing: now, trace }) => [
        entry.wireName,
        now,
        ...trace.map(({ reason }) => reason.text),
      ]);
    };
    const other = (own: string) => `model "claude-sonnet-4-5" uses edit:commands in place of ${own}`;
    expect(await standing({})).toEqual([
      ["apply_patch", "hidden", other("edit:patch")],
      ["edit", "hidden", other("edit:replace")],
      [EDITOR, "visible"],
    ]);
    expect((await standing({ models: {} })).map(([name, now]) => [name, now])).toEqual([
      ["apply_patch", "hidden"],
      ["edit", "visible"],
      [EDITOR, "hidden"],
    ]);
  });

  test("is asked about changes and not about looking, and rules about files hold for each command", async () => {
    const { session: opening, asked, tree } = open({ permissions: { deny: ["Read(./kept/**)"], ask: [], allow: [] } });
    const session = await opening;
    const run = async (args: object) => (await session.call(EDITOR, args)).textResultForLlm;
    expect(await run({ command: "view", path: "a.txt" })).toBe("1\tone");
    expect(asked).toEqual([]);
    await run({ command: "insert", path: "a.txt", insert_line: 1, insert_text: "two\n" });
    expect(asked).toEqual(["write: no rule covers writing a.txt"]);
    expect(tree()["a.txt"]).toBe("one\ntwo\n");
    const denied = 'Permission denied: "kept/b.txt" is denied by the rule Read(./kept/**).';
    expect(await run({ command: "view", path: "kept/b.txt" })).toBe(denied);
    expect(await run({ command: "str_replace", path: "kept/b.txt", old_str: "KEY=canarx", new_str: "" })).toBe(denied);
    expect(await run({ command: "insert", path: "kept/b.txt", insert_line: 1, insert_text: "x" })).toBe(denied);
    await session.close();
  });

  test("cannot write where a rule about writing, by any of its names, says no", async () => {
    for (const rule of ["Edit(./a.txt)", "Write(a.txt)", `${EDITOR}(a.txt)`]) {
      const { session: opening, tree } = open({ permissions: { deny: [rule], ask: [], allow: [] } });
      const session = await opening;
      for (const args of [
        { command: "create", path: "./a.txt", file_text: "x", overwrite: true },
        { command: "str_replace", path: "a.txt", old_str: "one", new_str: "x" },
        { command: "insert", path: "kept/../a.txt", insert_line: 0, insert_text: "x" },
      ])
        expect((await session.call(EDITOR, args)).resultType).toBe("denied");
      expect(tree()["a.txt"]).toBe("one\n");
      await session.close();
    }
  });
});
