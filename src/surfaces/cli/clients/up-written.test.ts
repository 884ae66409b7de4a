import { expect, test } from "vitest";
import { describeWritten } from "./up-written.ts";

test("--write says what becomes of servers in the home folder, with a file in the project and without", () => {
  const atHome = { file: "~/.claude.json", names: ["mine"] };
  const client = {
    client: "claude" as const,
    file: ".mcp.json",
    isAtHome: false,
    others: [],
    moved: ["files"],
    changed: true,
    atHome,
  };
  const said = (own: readonly string[] | null) =>
    describeWritten({ clients: [client], isPortable: true, target: null, keys: null, unset: [], own }).slice(2);
  const command = '"toolcrib init --config ~/.config/toolcrib/config.yaml"';
  expect(said(["files"])).toEqual([
    `Toolcrib leaves out what only ~/.claude.json has (mine): ${command} takes it over for every project.`,
  ]);
  expect(said(["files", "mine"])).toEqual([
    "~/.claude.json also has mine: remove them there, or their tools appear twice in claude.",
  ]);
  // With no file of ours Toolcrib has them from the home folder, and would lose them there.
  expect(said(null)).toEqual([
    `~/.claude.json also has mine: claude goes on starting them by itself, so their tools appear twice. Toolcrib has them from that file, too: run ${command} before you remove them there.`,
  ]);
});
