import { expect, test } from "vitest";
import { describeWritten } from "./up-written.ts";

test("--write says what becomes of servers in the home folder, with a file in the project and without", () => {
  const atHome = { file: "~/.claude.json", names: ["mine"] };
  const client = { client: "claude" as const, file: ".mcp.json", others: [], moved: ["files"], changed: true, atHome };
  const said = (target: string | null) =>
    describeWritten({ clients: [client], isPortable: true, target, unset: [] }).filter((line) => line.includes("init"));
  expect(said("toolcrib.yaml")).toEqual([
    'With toolcrib.yaml here, Toolcrib itself leaves out what only ~/.claude.json has (mine), for every client: "toolcrib init" takes it over.',
  ]);
  // With no file here Toolcrib has them from the home folder, and would lose them there.
  expect(said(null)).toEqual([
    '~/.claude.json also has mine: claude goes on starting them by itself, so their tools appear twice. Toolcrib has them from that file, too: run "toolcrib init" before you remove them there.',
  ]);
});
