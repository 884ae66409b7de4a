import { expect, test } from "vitest";
import { createWorkspace } from "../../../test/support/config-workspace.ts";
import { createRedactor, secretsOf } from "./redact-value.ts";

/** Where a configuration has secrets, besides its servers and its people. */
const WRITTEN = {
  providers: {
    own: {
      baseUrl: "http://127.0.0.1:1/v1",
      key: "canary-provider-key",
      headers: { "X-Api-Key": "canary-provider-header" },
    },
  },
  search: {
    embedder: { url: "http://127.0.0.1:1/v1", model: "it", key: "canary-embedder-key" },
    web: {
      url: "http://127.0.0.1:1/?q={query}&api_key=canary-web-query",
      headers: { Authorization: "Bearer canary-web-header" },
    },
  },
  memoryServer: { url: "http://127.0.0.1:1/", headers: { Authorization: "Bearer canary-memory-header" } },
  store: { url: "postgres://me:canary-store%21word@127.0.0.1:1/it" },
  openapi: {
    orders: {
      ...{ spec: "http://127.0.0.1:1/openapi.json", baseUrl: "http://127.0.0.1:1" },
      credentials: {
        kind: "exchange",
        issuer: "http://127.0.0.1:1",
        clientId: "it",
        clientSecret: "canary-exchange-key",
        audience: "it",
      },
    },
  },
  filters: [{ name: "house", judge: { url: "http://127.0.0.1:1/", secret: "canary-judge-secret" } }],
};

test("no secret of a configuration is left in a text, wherever it is written (O19)", async () => {
  const config = await createWorkspace({ user: JSON.stringify(WRITTEN) }).load();
  // Each by itself: nothing around it says that it is one.
  const secrets = [...(JSON.stringify(WRITTEN).match(/canary-[\w%-]+/g) ?? []), "canary-store!word"];
  expect(secrets).toHaveLength(10);
  const { text } = createRedactor(secretsOf(config));
  for (const secret of secrets) expect([secret, text(`It is ${secret}.`)]).toEqual([secret, "It is [hidden]."]);
  // What names a place stays.
  for (const place of ["http://127.0.0.1:1/openapi.json", "{query}"]) expect(text(place)).toBe(place);
});
