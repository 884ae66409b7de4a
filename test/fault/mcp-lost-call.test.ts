import { expect, onTestFinished, test } from "vitest";
import { createSession } from "../../src/runtime/session/library.ts";
import { misbehaving } from "../support/mcp-sources.ts";

/** Processes start slowly on a busy machine. */
test("a model whose call died with its server learns that it may have had an effect, and nothing of why (X8)", async () => {
  const session = await createSession({
    workspace: null,
    mcpServers: { it: { ...misbehaving() } },
    permissions: { allow: ["it/die"] },
    logger: { error: () => {}, debug: () => {} },
  });
  onTestFinished(() => session.close());
  await session.settled();
  const result = await session.call("it/die");
  expect(result).toMatchObject({
    resultType: "failure",
    textResultForLlm:
      "The tool's server went away during the call, so there is no result. Whether the call had an effect is unknown.",
    error: 'The MCP server "it" went away during the call; whether the call had an effect is unknown.',
  });
});
