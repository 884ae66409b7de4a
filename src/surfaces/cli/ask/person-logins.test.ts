import { join } from "node:path";
import { expect, test } from "vitest";
import { createWorkspace } from "../../../../test/support/config-workspace.ts";
import { runCli } from "../../../../test/support/run-cli.ts";
import { peopleScope } from "../../../runtime/people/people-scope.ts";
import { peopleValues } from "../../../runtime/people/people-values.ts";
import { openStoreAt } from "../../../runtime/store/open-store.ts";

const IDP = "https://idp.example.com";
const PERSON = { issuer: IDP, subject: "alice" };

/** A gateway whose people have logins of their own at a server that nobody can reach here. */
async function world() {
  const workspace = createWorkspace();
  const path = join(workspace.root, "people.db");
  workspace.write(
    "user",
    JSON.stringify({
      store: { url: `sqlite:${path}` },
      mcpServers: { github: { type: "http", url: "http://127.0.0.1:9/mcp", credentials: "person" } },
      gateway: {
        publicUrl: "https://tools.example.com",
        profiles: { everybody: {} },
        auth: { login: { issuer: IDP, clientId: "gateway" }, people: [{ everybody: true, profile: "everybody" }] },
      },
    }),
  );
  const scope = peopleScope(await workspace.load()) ?? "";
  const place = { home: workspace.home, env: {}, workspace: workspace.cwd };
  const keep = async (trouble: string | null): Promise<void> => {
    const store = await openStoreAt(`sqlite:${path}`, place);
    const row = { kind: "person", origin: "http://127.0.0.1:9", issuer: IDP, clientId: "c", scope: null };
    await peopleValues({ store, scope }, "people.logins", PERSON).change("github", () => ({
      ...{ ...row, since: 1, trouble, sealed: "sealed" },
    }));
    await store.close();
  };
  const why = async (): Promise<string> => {
    const argv = ["why", "github/get_file", "--person", "alice", "--groups", "eng"];
    const { out, err } = await runCli(argv, { cwd: workspace.cwd, env: { HOME: workspace.home } });
    return `${out}${err}`.replace(/\s+/g, " ");
  };
  return { keep, why };
}

test("why says what the person has at a server where everybody has a login of their own, and where they log in", async () => {
  const { keep, why } = await world();
  const link = "They log in at https://tools.example.com/connect?server=github";
  const none = await why();
  expect(none).toContain(`server "github" has no login of alice@idp.example.com yet. ${link}`);
  expect(none).not.toContain("servers login");
  await keep(null);
  expect(await why()).toContain(
    'server "github" is used with the login of alice@idp.example.com, and lists its tools to',
  );
  await keep("its authorization server no longer takes it");
  expect(await why()).toContain(
    `no longer takes the login of alice@idp.example.com: its authorization server no longer takes it. ${link}`,
  );
});
