import { expect, test } from "vitest";
import { createMachine, runCli } from "../../../test/support/run-cli.ts";

const FILE = `mcpServers: { weather: { command: node } }
includeTools: ["*", weather/rain, mcp__weather__sun]
excludeTools: [weather, weathers]
toolsets: { outside: [view, "weather/get_*"] }
`;

test.each([[["list"]], [["list", "--no-start"]], [["why", "view"]]])(
  "%j calls no name wrong whose server only waits for trust, and says so instead (I3)",
  async (argv) => {
    const { cwd, home } = createMachine({ "toolcrib.yaml": FILE });
    const { status, err } = await runCli(argv, { cwd, env: { HOME: home } });
    expect(status).toBe(0);
    expect(err).toContain('left out: server weather (toolcrib.yaml:1). Run "toolcrib trust"');
    expect(err).not.toContain("does not exist");
    expect(err.match(/warning: \w+ names ".*?"/g)).toEqual(['warning: excludeTools names "weathers"']);
    for (const name of ["weather/rain", "mcp__weather__sun", "weather", "weather/get_*"])
      expect(err).toContain(
        `info: a list names "${name}"; server "weather" is left out until it is trusted: toolcrib trust`,
      );
  },
);

test("a name of a server that is trusted and has no such tool stays unknown", async () => {
  const { cwd, home } = createMachine({ "toolcrib.yaml": FILE });
  await runCli(["trust", "--yes"], { cwd, env: { HOME: home } });
  const { err } = await runCli(["list", "--no-start"], { cwd, env: { HOME: home } });
  expect(err).not.toContain("until it is trusted");
  expect(err).toContain('names "weathers"');
});
