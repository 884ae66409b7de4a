import { describe, expect, test } from "vitest";
import { createWorkspace } from "../../test/support/config-workspace.ts";
import { formatOrigin } from "../core/codes/origin.ts";
import { expandVariables } from "../core/shape/expand-variables.ts";
import { listValues } from "./shape/list-values.ts";

describe("references to variables", () => {
  test.each([
    ["${A}", "a", []],
    ["x${A}y${B}", "xayb", []],
    ["${NO}", "${NO}", ["NO"]],
    ["${NO:-d}", "d", []],
    ["${A:-d}", "a", []],
    ["${EMPTY:-d}", "d", []],
    ["${EMPTY}", "", []],
    ["${NO:-}", "", []],
    ["$${A}", "${A}", []],
    ["${A} $${A", "a ${A", []],
    ["${A} ${A:-", "a ${A:-", []],
    ["$A ${} ${1} $", "$A ${} ${1} $", []],
    ["${__proto__}", "${__proto__}", ["__proto__"]],
    ["${constructor}", "${constructor}", ["constructor"]],
    ["${R}", "${A}", []],
  ])("%s becomes %s", (text, expected, unset) => {
    expect(expandVariables(text, { A: "a", B: "b", EMPTY: "", R: "${A}" })).toEqual({ text: expected, unset });
  });

  test("expand in command, args, env, headers, token and url, and nowhere else", async () => {
    const config = await createWorkspace({
      "a.yaml": `mcpServers:
  s: { command: "\${V}", args: ["\${V}"], env: { K: "\${V}", N: 8080 }, cwd: "\${V}", group: "\${V}" }
  h: { url: "https://\${V}", headers: { H: "\${V}" }, tools: ["\${V}"] }
extensions: [{ name: "\${V}", command: "\${V}" }]
gateway: { token: "\${V}", host: "\${V}", clients: [{ token: "\${V}", agent: "\${V}" }] }
excludeTools: ["\${V}"]
hooks: { preToolUse: [{ command: "\${V}" }] }
agents: [{ name: a, prompt: "\${V}", mcpServers: { own: { command: "\${V}" } } }]
`,
    }).load({ config: "a.yaml" }, { V: "v" });
    const [s, h] = [config.servers.get("s"), config.servers.get("h")];
    expect(s?.transport).toMatchObject({
      command: "v",
      args: ["v"],
      env: new Map([
        ["K", "v"],
        ["N", "8080"],
      ]),
    });
    expect(s?.transport).toMatchObject({ cwd: expect.stringContaining("${V}") });
    expect(s?.group?.value).toBe("${V}");
    expect(h?.transport).toEqual({ type: "http", url: "https://v", headers: new Map([["H", "v"]]) });
    expect(h?.tools?.value[0]?.value).toBe("${V}");
    expect(config.extensions[0]).toMatchObject({ name: "${V}", command: "v" });
    expect(config.gateway).toMatchObject({ token: { value: "v" }, host: { value: "${V}" } });
    expect(config.gateway.clients[0]).toMatchObject({ token: "v", agent: { value: "${V}" } });
    expect(config.excludeTools.value[0]?.value).toBe("${V}");
    expect(config.hooks.get("preToolUse")?.[0]?.command).toBe("${V}");
    expect(config.agents.get("a")?.prompt).toBe("${V}");
    expect(config.agents.get("a")?.servers.get("own")?.transport).toMatchObject({ command: "v" });
  });

  test("one that is not set fails its server only, and the notice names both", async () => {
    const config = await createWorkspace({
      user: "mcpServers:\n  bad: { command: x, args: ['${NO}', '${ALSO}', '${NO}'] }\n  good: { command: x }\n  off: { command: '${NO}', enabled: false }\n",
    }).load();
    expect(config.servers.get("bad")?.unset).toEqual(["NO", "ALSO"]);
    expect(config.servers.get("good")?.unset).toEqual([]);
    expect(config.notices).toMatchObject([
      {
        code: "config.variable-unset",
        text: "server bad is left out: ${NO}, ${ALSO} are not set",
        names: ["bad", "NO", "ALSO"],
      },
    ]);
  });

  test("a gateway token whose variable is not set or empty is no token", async () => {
    const workspace = createWorkspace({
      user: "gateway: { token: '${NO}', clients: [{ token: '${NO}' }, { token: t }] }",
    });
    const config = await workspace.load();
    expect(config.gateway.token).toBeNull();
    expect(config.gateway.clients.map(({ token }) => token)).toEqual(["t"]);
    expect(config.notices.map(({ names }) => names)).toEqual([
      ["gateway.token", "NO"],
      ["gateway.clients[0]", "NO"],
    ]);
    expect((await workspace.load({}, { NO: "" })).gateway).toMatchObject({ token: null, clients: [{ token: "t" }] });
  });

  test("the launch hash is of what is written, so a rotated token does not change it", async () => {
    const workspace = createWorkspace({
      user: "mcpServers: { s: { url: 'https://x', headers: { A: '${T}' }, timeout: 1 } }",
    });
    const hash = async (env: Record<string, string>) => (await workspace.load({}, env)).servers.get("s")?.launch;
    const before = await hash({ T: "1" });
    expect(await hash({ T: "2" })).toBe(before);
    workspace.write("user", "mcpServers: { s: { url: 'https://x', headers: { A: '${T}' }, timeout: 2 } }");
    expect(await hash({ T: "1" })).toBe(before);
    workspace.write("user", "mcpServers: { s: { url: 'https://y', headers: { A: '${T}' }, timeout: 2 } }");
    expect(await hash({ T: "1" })).not.toBe(before);
  });
});

describe("what is printed", () => {
  const rows = async (text: string, env = {}) => {
    const config = await createWorkspace({ user: text }).load({}, env);
    return new Map(listValues(config).map(({ path, value }) => [path, value]));
  };

  test("holds no secret", async () => {
    const text = `mcpServers:
  s: { command: x, args: [--token, hunter2, --api-key=hunter2, -H, "Authorization: hunter2", "https://u:hunter2@h/?key=hunter2&q=1", plain], env: { K: hunter2, PIN: 1234 } }
  h: { url: "https://hunter2@h/?access_token=hunter2", headers: { Authorization: "Bearer hunter2", B: "Bearer \${T}", C: "\${T:-hunter2}", D: "hunter2\${T}" } }
extensions: [{ name: e, command: x, env: { K: hunter2 } }]
gateway: { token: hunter2, clients: [{ token: hunter2, agent: a }] }
store: { url: "postgres://user:hunter2@h/db" }
agents: [{ name: a, mcpServers: { own: { url: "https://x", headers: { A: hunter2 } } } }]
`;
    const shown = await rows(text, { T: "hunter2" });
    expect(JSON.stringify([...shown])).not.toContain("hunter2");
    expect(JSON.stringify([...shown])).not.toContain("1234");
    expect(shown.get("mcpServers.h.headers.B")).toBe("Bearer ${T}");
    expect(shown.get("mcpServers.s.args[6]")).toBe("plain");
    expect(shown.get("mcpServers.s.args[5]")).toBe("https://u:***@h/?key=***&q=1");
    expect(shown.get("store.url")).toBe("postgres://user:***@h/db");
  });

  test("has every value with its origin, defaults included", async () => {
    const config = await createWorkspace({ "toolcrib.yaml": "excludeTools:\n  - a\ntoolsets: { 'x.y': [] }\n" }).load({
      mode: "plan",
    });
    const shown = listValues(config).map(
      ({ path, value, origin }) => `${path} = ${JSON.stringify(value)} (${formatOrigin(origin)})`,
    );
    expect(shown).toContain('excludeTools[0] = "a" (toolcrib.yaml:2)');
    expect(shown).toContain('toolsets."x.y" = [] (toolcrib.yaml:3)');
    expect(shown).toContain('permissions.mode = "plan" (--mode)');
    expect(shown).toContain("permissions.deny = [] (default)");
    expect(shown).toContain("gateway.port = 8787 (default)");
    expect(shown).toContain("includeTools = null (default)");
    expect(shown).toContain("sandbox.allowHostShell = false (default)");
    expect(shown.filter((row) => row.startsWith("excludeTools"))).toHaveLength(1);
  });
});
