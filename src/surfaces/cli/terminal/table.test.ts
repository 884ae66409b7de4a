import { expect, test } from "vitest";
import { formatTable } from "./table.ts";

const COLUMNS = [
  { heading: "NAME", shrinks: true },
  { heading: "N", align: "right" as const },
  { heading: "REASON", shrinks: true },
];

test("columns are as wide as their content while there is room", () => {
  expect(
    formatTable(
      COLUMNS,
      [
        ["view", "7", ""],
        ["日本語", "1200", "because"],
      ],
      80,
    ),
  ).toEqual(["NAME       N  REASON", "view       7", "日本語  1200  because"]);
});

test("the longer of two columns gives way first", () => {
  const rows = [["view", "7", "a reason that is much too long for this terminal"]];
  expect(formatTable(COLUMNS, rows, 30)[1]).toBe("view  7  a reason that is muc…");
});

test("a column may keep the end of what is too long", () => {
  const columns = [{ heading: "FROM", shrinks: true, keeps: "end" as const }];
  const cut = (text: string, width: number) => formatTable(columns, [[text]], width)[1];
  expect(cut("/home/me/.config/toolcrib/config.yaml:12", 20)).toBe("…crib/config.yaml:12");
  expect(cut("/日本語/設定.yaml:12", 13)).toBe("…設定.yaml:12");
  expect(cut("/日本語/設定.yaml:12", 12)).toBe("…定.yaml:12");
  expect(cut("short:1", 20)).toBe("short:1");
});

test("two long columns share the room", () => {
  const rows = [["x".repeat(50), "7", "y".repeat(50)]];
  expect(formatTable(COLUMNS, rows, 33)[1]).toBe(`${"x".repeat(13)}…  7  ${"y".repeat(13)}…`);
});

test("without a terminal names stay whole, unless one is longer than anybody would make it", () => {
  const name = "a-server-with-a-long-name/a_tool_with_a_long_name";
  const reason = `hidden because ${"of something ".repeat(6)}`.trim();
  expect(formatTable(COLUMNS, [[name, "7", reason]], null)[1]).toBe(`${name}  7  ${reason}`);
  const [, first = "", second = ""] = formatTable(
    COLUMNS,
    [
      ["L".repeat(5_000), "7", "x"],
      ["view", "7", "y"],
    ],
    null,
  );
  expect(first).toMatch(/^L{199}… {2}7 {2}x$/);
  expect(second).toHaveLength(first.length);
});
