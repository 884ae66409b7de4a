import { createLocalJWKSet, jwtVerify } from "jose";
import { expect, test } from "vitest";
import { createStore } from "../../src/runtime/store/create-store.ts";
import { createMemoryBackEnd } from "../../src/runtime/store/memory-back-end.ts";
import { createMemoryTables } from "../../src/runtime/store/memory-tables.ts";
import { caller, configOf, PUBLIC_URL, serverOf, startMachine } from "./world.ts";

const URL_A = "https://a.example.com/mcp";
const NEVER = new AbortController().signal;

test.each(["ES256", "EdDSA"])(
  "a server can check who asks with what any machine publishes, by %s (O10)",
  async (algorithm) => {
    const tables = createMemoryTables();
    const config = await configOf({ a: { url: URL_A, credentials: { kind: "signed", algorithm } } });
    const [one, two] = await Promise.all(
      [0, 1].map(() => startMachine(createStore(createMemoryBackEnd(tables)), config)),
    );
    const sign = async (machine: typeof one, who = caller("alice")) => {
      const { proof } = machine?.credentials.of(serverOf(config, "a"), who) ?? {};
      if (proof?.kind !== "tokens") throw new Error("it is signed");
      return (await proof.open().current(new URL(URL_A), NEVER)) ?? "";
    };
    const tokens = [await sign(one), await sign(two)];
    const keys = createLocalJWKSet({ keys: [...((await two?.signing.published()) ?? [])] });
    for (const token of tokens) {
      const { payload } = await jwtVerify(token, keys, { issuer: PUBLIC_URL, audience: URL_A });
      expect(payload).toMatchObject({
        sub: "alice@idp.example.com",
        sub_id: { format: "iss_sub", iss: "https://idp.example.com", sub: "alice" },
        act: { sub: "https://claude.ai/client.json" },
      });
      expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(300);
    }
    // The same subject of another issuer is somebody else.
    const other = await jwtVerify(await sign(one, caller("alice", { issuer: "https://other.example.com" })), keys);
    expect(other.payload.sub).not.toBe("alice@idp.example.com");
  },
);
