import { expect, test } from "vitest";
import { describeWritten } from "./up-written.ts";

test("--move says which servers of the home folder no client gets through Toolcrib any more", () => {
  const atHome = { file: "~/.claude.json", names: ["mine"] };
  const client = { client: "claude" as const, file: ".mcp.json", others: [], moved: ["files"], changed: true, atHome };
  const said = (target: string | null) =>
    describeWritten({ clients: [client], isPortable: true, target, unset: [] }).filter((line) => line.includes("init"));
  expect(said("toolcrib.yaml")).toEqual([
    'With toolcrib.yaml here, Toolcrib itself leaves out what only ~/.claude.json has (mine), for every client: "toolcrib init" takes it over.',
  ]);
  expect(said(null)).toEqual([]);
});
