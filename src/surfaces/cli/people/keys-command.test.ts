import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createWorkspace } from "../../../../test/support/config-workspace.ts";
import { runCli } from "../../../../test/support/run-cli.ts";
import { personKey } from "../../../core/people/person.ts";
import { openUpstream } from "../../../runtime/credentials/open-upstream.ts";
import { startUpkeep } from "../../../runtime/credentials/upkeep.ts";
import { createPeopleRows } from "../../../runtime/people/people-rows.ts";
import { peopleScope } from "../../../runtime/people/people-scope.ts";
import { sealedWith } from "../../../runtime/people/sealer.ts";
import { openStoreAt } from "../../../runtime/store/open-store.ts";

const ALICE = { issuer: "https://idp.example.com", subject: "alice" };
const CALLER = { ...ALICE, client: "c", groups: [], claims: [], name: null, email: null };
const PUBLIC_URL = "https://tools.example.com";

/** A gateway that runs, with a key of Alice's in its store, and the command line beside it. */
async function openRunning(auth: object = {}) {
  const workspace = createWorkspace();
  const path = join(workspace.root, "company.db");
  const servers = {
    keyed: { url: "https://k.example.com/mcp", credentials: "key" },
    own: { url: "https://o.example.com/mcp", credentials: "signed" },
  };
  const gateway = { publicUrl: PUBLIC_URL, auth: { people: [], ...auth } };
  workspace.write("user", JSON.stringify({ store: { url: `sqlite:${path}` }, mcpServers: servers, gateway }));
  const config = await workspace.load();
  const store = await openStoreAt(`sqlite:${path}`, { home: workspace.home, env: {}, workspace: workspace.cwd });
  const place = { store, scope: peopleScope(config) ?? "" };
  const folder = join(workspace.home, ".local/state/toolcrib");
  const upstream = await openUpstream({
    ...{ publicUrl: PUBLIC_URL, place, folder, auth: () => config.gateway.auth },
    onError: (text, error) => {
      throw new Error(text, { cause: error });
    },
  });
  const people = createPeopleRows(place);
  await people.note(CALLER);
  const upkeep = startUpkeep({ ...{ upstream, people, place, auth: () => config.gateway.auth }, onError: () => {} });
  onTestFinished(async () => {
    await upkeep.close();
    await upstream.close();
    people.close();
    await store.close();
  });
  const run = (argv: readonly string[]) => runCli(argv, { cwd: workspace.cwd, env: { HOME: workspace.home } });
  const server = (name: string) => {
    const found = config.servers.get(name);
    if (found === undefined) throw new Error(`there is no ${name}`);
    return found;
  };
  const rows = () => store.keyValues({ name: "people.logins", person: personKey(ALICE), project: place.scope });
  const keyOfRow = async (): Promise<string | null> => {
    const all = [...(await rows().entries()).values()] as readonly { readonly sealed: string }[];
    return sealedWith(all[0]?.sealed ?? "");
  };
  const read = async () => (await upstream.credentials.of(server("keyed"), CALLER).state()).kind;
  return { upstream, run, server, keyOfRow, read, folder };
}

const idsOf = (out: string) =>
  JSON.parse(out) as { sealing: { id: string; state: string }[]; signing: { state: string }[] };

test("keys rotate makes another key, with which a running gateway seals again at once what is stored (O11)", async () => {
  const { upstream, run, server, keyOfRow, read, folder } = await openRunning();
  await upstream.credentials.putKey(server("keyed"), ALICE, "key-canary-123");
  const [before] = upstream.sealer.keys;
  expect(await keyOfRow()).toBe(before);
  const { out, status } = await run(["keys", "rotate"]);
  expect([status, out]).toEqual([0, expect.stringMatching(/^Key [\w-]{12} seals from now on\./)]);
  const [, next] = /^Key ([\w-]{12})/.exec(out) ?? [];
  await expect.poll(keyOfRow, { timeout: 10_000 }).toBe(next);
  expect(upstream.sealer.keys).toEqual([next, before]);
  expect(await read()).toBe("ready");
  await expect
    .poll(async () => idsOf((await run(["keys", "--json"])).out).sealing, { timeout: 10_000 })
    .toEqual([
      { id: next, state: "seals", place: "your state folder" },
      { id: before, state: "can go", place: "your state folder" },
    ]);
  // What nothing needs any longer goes with the next one.
  await run(["keys", "rotate"]);
  const lines = readFileSync(join(folder, "sealing.key"), "utf8").trim().split("\n");
  expect(lines).toHaveLength(2);
  const logged = (await run(["audit", "--json"])).out;
  expect(logged).toContain('"keys.rotated"');
  for (const secret of ["canary", ...lines]) expect(`${out}${logged}`).not.toContain(secret);
}, 60_000);

test("a signing key is published before it signs, and the one before it stays while what it signed counts (O10)", async () => {
  const { upstream, run, server } = await openRunning();
  const { proof } = upstream.credentials.of(server("own"), CALLER);
  if (proof.kind !== "tokens") throw new Error("it is signed");
  await proof.open().current(new URL("https://o.example.com/mcp"), new AbortController().signal);
  const [first] = await upstream.signing.published();
  const { out } = await run(["keys", "rotate"]);
  expect(out).toMatch(/Key [\w-]{43} is published now, and signs in ten minutes\./);
  expect((await upstream.signing.published()).map(({ kid }) => kid)).toEqual([first?.kid, expect.any(String)]);
  expect((await upstream.signing.current("ES256")).kid).toBe(first?.kid);
  expect(idsOf((await run(["keys", "--json"])).out).signing.map(({ state }) => state)).toEqual([
    "signs",
    "is published, and signs soon",
  ]);
  expect((await run(["keys"])).out).toMatch(/SIGNING KEY +KIND +STATE/);
  expect(JSON.stringify(await upstream.signing.published())).not.toContain('"d"');
});

test("keys of the configuration are their owner's to replace, and rotate says how", async () => {
  const key = randomBytes(32).toString("base64");
  const { run, upstream } = await openRunning({ keys: [key] });
  const { out, status } = await run(["keys", "rotate"]);
  expect([status, out]).toEqual([1, expect.stringContaining("Put it behind the others in gateway.auth.keys")]);
  expect(out).not.toContain(key);
  expect(idsOf((await run(["keys", "--json"])).out).sealing).toEqual([
    { id: upstream.sealer.keys[0], state: "seals", place: "gateway.auth.keys[0]" },
  ]);
});
