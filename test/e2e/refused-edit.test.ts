import { beforeAll, expect, test } from "vitest";
import { ensureBuilt } from "../support/built-cli.ts";
import { newMachine, runHere, startUp } from "../support/running-up.ts";

beforeAll(ensureBuilt, 120_000);

test("an edit that cannot be used is seen by status, on the page and by clients until it is mended", async () => {
  const machine = newMachine({ user: "builtins: read" });
  const up = await startUp(machine);
  const client = await up.connect();
  const seen = async () => {
    const answer = await fetch(new URL("/api/overview", up.document.endpoint), {
      headers: { Authorization: `Bearer ${up.document.token}` },
    });
    const { refused } = (await answer.json()) as { readonly refused: unknown }; // As the page gets it.
    const { _meta } = await client.listTools();
    return { status: (await runHere(["status"], machine)).out, page: refused, client: _meta?.["toolcrib/missing"] };
  };
  expect(await seen()).toEqual({ status: expect.not.stringContaining("Refused"), page: null, client: undefined });

  machine.write("user", "builtins: read\nexclude_tools: [x]\nmodle: y\n");
  await up.says(/The configuration cannot be used/);
  const wrong = /config\.yaml:2: unknown key "exclude_tools"[\s\S]*modle/;
  const { status, page, client: told } = await seen();
  expect(status).toContain(
    "  Refused      the configuration as it is written now; the previous one stays until it is mended\n",
  );
  expect(status).toMatch(wrong);
  expect(page).toMatch(wrong);
  expect(told).toEqual([
    {
      server: "toolcrib",
      state: "stale",
      reason: expect.stringContaining("configuration was changed and cannot be used"),
    },
  ]);
  expect(JSON.stringify(told), "what the files hold is not for every client").not.toContain("exclude_tools");

  machine.write("user", "builtins: read\nexcludeTools: [view]\n");
  await up.says(/Configuration reloaded/);
  expect(await seen()).toEqual({ status: expect.not.stringContaining("Refused"), page: null, client: undefined });

  machine.write("user", "nonsense: 1\n");
  await up.says(/nonsense/);
  machine.write("user", "builtins: read\nexcludeTools: [view]\n");
  await up.says(/it is as it was before/);
  expect(await seen()).toMatchObject({ page: null, client: undefined });
});
