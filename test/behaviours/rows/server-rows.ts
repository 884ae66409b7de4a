import { join } from "node:path";
import { expect } from "vitest";
import type { Behaviour, Observed } from "../behaviour.ts";

const FIXTURES = join(import.meta.dirname, "../../fixtures");
const ECHO = { type: "stdio", command: process.execPath, args: [join(FIXTURES, "echo-server.cjs")], tools: ["*"] };
const TOWN = {
  ...ECHO,
  args: [join(FIXTURES, "many-tools-server.cjs"), "tools=2", "prefix=town"],
};
const BROKEN = { ...ECHO, args: ["-e", 'console.error("the database is gone"); process.exit(3)'] };
const warnings = ({ events }: Observed): string =>
  JSON.stringify(events.filter(({ type }) => type === "session.warning"));

/** The names of all tools in the last request; what stands between server and tool is each product's own. */
const toolsOf = ({ requests }: Observed): string => (requests.at(-1)?.tools ?? []).map(({ name }) => name).join(" ");

/** Servers of the app, and of its agents. */
export const SERVER_ROWS: readonly Behaviour[] = [
  {
    name: "a server that fails is told to the app with its own last words, and the others work",
    app: {
      options: { mcpServers: { town: TOWN, broken: BROKEN } },
      acts: [{ send: "one" }, { send: "two" }],
    },
    replies: [{ text: "first" }, { text: "second" }],
    check: (seen) => {
      expect(seen.replies).toEqual(["first", "second"]);
      expect(warnings(seen)).toContain("the database is gone");
      expect(toolsOf(seen)).toMatch(/\btown\W*_*town_1\b/);
    },
  },
  {
    name: "an agent has its own server in place of the app's of the same name",
    app: {
      options: {
        ...{ mcpServers: { echo: ECHO }, agent: "mayor" },
        customAgents: [{ name: "mayor", description: "Rules", prompt: "Rule.", mcpServers: { echo: TOWN } }],
      },
      acts: [{ send: "one" }, { send: "two" }],
    },
    replies: [{ text: "first" }, { text: "second" }],
    check: (seen) => {
      expect(toolsOf(seen)).toMatch(/\becho\W*_*town_1\b.*\becho\W*_*town_2\b/);
      expect(toolsOf(seen)).not.toMatch(/\becho\W*_*echo\b/);
    },
  },
];
