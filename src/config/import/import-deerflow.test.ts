import { describe, expect, test } from "vitest";
import { importFiles } from "../../../test/support/import-files.ts";

describe("DeerFlow", () => {
  test("DeerFlow's agents, shell and search settings carry over; its Python tools are told", async () => {
    const { value, left } = await importFiles({
      "config.yaml": `tools:\n  - { name: web_search, group: web, use: "deerflow.tools:web" }
sandbox: { allow_host_bash: true }\ntool_search: { enabled: true }
subagents: { custom_agents: { r: { description: d, system_prompt: p, tools: [view], disallowed_tools: [task], model: inherit } } }\n`,
      "extensions_config.json": { skills: { a: { enabled: false }, b: { enabled: true } } },
    });
    expect(value).toEqual({
      sandbox: { allowHostShell: true },
      toolSearch: "on",
      agents: [{ name: "r", description: "d", prompt: "p", tools: ["view"], disallowedTools: ["task"] }],
      disabledSkills: ["a"],
    });
    expect(left).toEqual([expect.stringContaining("Python code (deerflow.tools:web)")]);
  });

  test("groups, vision and the host's shell of DeerFlow's are converted, or reported", async () => {
    const { value, left } = await importFiles({
      "config.yaml": `tool_groups: [{ name: web }, { name: "file:read" }]
models:
  - { name: big, model: gpt-5, supports_vision: true }
  - { name: small, supports_vision: false }
  - { name: plain, model: x }
  - { name: odd, model: y, supports_vision: maybe }
sandbox: { allow_host_bash: false }
subagents: { custom_agents: { r: { tool_groups: [web] } } }\n`,
    });
    expect(value).toEqual({
      sandbox: { allowHostShell: false },
      model: "gpt-5",
      models: { "gpt-5": { capabilities: { vision: true } }, small: { capabilities: { vision: false } } },
      agents: [
        {
          name: "r",
          tools: ["view_image", "ask_user", "todo", "skill", "task"],
          disallowedTools: ["task", "ask_user"],
          toolGroups: ["web"],
        },
      ],
    });
    expect(left).toEqual([
      expect.stringContaining("supports_vision"),
      expect.stringMatching(/tool_groups.*toolGroups/),
    ]);
    const odd = await importFiles({ "config.yaml": "tool_groups: []\nsandbox: { allow_host_bash: $SHELL_OK }\n" });
    expect([odd.value, odd.left]).toEqual([{}, [expect.stringContaining("allow_host_bash")]]);
  });

  test("what an agent of DeerFlow's may use is called as it is here", async () => {
    const { value, left } = await importFiles({
      "config.yaml": `tools:\n  - { name: read_file, group: "file:read", use: "deerflow.sandbox.tools:read_file_tool" }
subagents: { custom_agents: { r: { tools: [ls, read_file, write_file, gh_create_issue, gh_web_get, own_tool], disallowed_tools: [bash] } } }
skills: { path: ../skills, container_path: /mnt/skills }
acp_agents: {}\nmiddlewares: []\n`,
      "extensions_config.json": { mcpServers: { gh: { command: "x" }, gh_web: { command: "y" } } },
    });
    expect(value.agents).toEqual([
      { name: "r", tools: ["view", "create", "gh/create_issue", "gh_web/get", "own_tool"], disallowedTools: ["bash"] },
    ]);
    expect(value.skillDirectories).toEqual(["../skills/public", "../skills/custom"]);
    expect(left).toEqual([
      expect.stringContaining("the built-in view is like it"),
      expect.stringContaining("container_path of skills (config.yaml:4): there is no such setting here"),
    ]);
  });

  const TOOLS = `tools:
  - { name: fetch_page, group: web, use: "my.tools:fetch" }
  - { name: read_file, group: "file:read", use: "deerflow.sandbox.tools:read_file_tool" }
  - { name: write_file, group: "file:write", use: "deerflow.sandbox.tools:write_file_tool" }
  - { name: bash, group: bash, use: "deerflow.sandbox.tools:bash_tool" }
`;
  const SERVERS = { mcpServers: { gh: { command: "x" } } };

  test("groups never widen an agent: it gets the tools of its groups and those that have none", async () => {
    const { value } = await importFiles({
      "config.yaml": `${TOOLS}subagents: { custom_agents: {
  webber: { tool_groups: [web] }, reader: { tool_groups: ["file:read"], tools: [read_file, bash, gh_get], disallowed_tools: [] },
  none: { tool_groups: [] }, all: { disallowed_tools: [] } } }\n`,
      "extensions_config.json": SERVERS,
    });
    const always = ["view_image", "ask_user", "todo", "skill", "task", "gh/*"];
    const below = ["task", "ask_user"];
    expect(value.agents).toEqual([
      { name: "webber", tools: ["fetch_page", ...always], disallowedTools: below, toolGroups: ["web"] },
      { name: "reader", tools: ["view", "gh/get"], toolGroups: ["file:read"] },
      { name: "none", tools: always, disallowedTools: below, toolGroups: [] },
      { name: "all" },
    ]);
  });

  test("denied tools that write take our other ones that write with them", async () => {
    const { value } = await importFiles({
      "config.yaml": `${TOOLS}subagents: { custom_agents: { r: { disallowed_tools: [write_file, present_files, gh_put] } } }\n`,
      "extensions_config.json": SERVERS,
    });
    const denied = ["create", "gh/put", "apply_patch", "str_replace_based_edit_tool"];
    expect(value.agents).toEqual([{ name: "r", disallowedTools: denied }]);
  });

  test("turns and models of agents carry over with their overrides; time limits and DeerFlow's own agents are told", async () => {
    const { value, left } = await importFiles({
      "config.yaml": `models:
  - { name: big, use: "langchain_anthropic:ChatAnthropic", model: claude-sonnet-4, api_key: $KEY, max_tokens: 9, context_window: 1000 }
  - { name: own, use: "langchain_openai:ChatOpenAI", model: llm, base_url: "http://h/v1" }
subagents:
  timeout_seconds: 1800
  max_turns: 7
  max_total_per_run: 6
  agents: { r: { max_turns: 9, model: own }, bash: { max_turns: 3 } }
  custom_agents:
    r: { max_turns: 50, model: big, timeout_seconds: 60, skills: [], disallowed_tools: [] }
    s: { model: big, max_turns: 4, disallowed_tools: [], color: red }\n`,
    });
    expect(value).toEqual({
      model: { provider: "anthropic", id: "claude-sonnet-4" },
      models: { "claude-sonnet-4": { contextWindow: 1000 } },
      agents: [
        { name: "r", skills: [], maxTurns: 9, model: "llm" },
        { name: "s", maxTurns: 4, model: "anthropic/claude-sonnet-4" },
      ],
    });
    expect(left.map((line) => line.split(" (")[0])).toEqual([
      'api_key, max_tokens of model "claude-sonnet-4"',
      'use, base_url of model "llm"',
      "bash of subagents.agents",
      'skills of agent "r"',
      'timeout_seconds of agent "r"',
      'color of agent "s"',
      "timeout_seconds of subagents",
      "max_turns of subagents",
      "max_total_per_run of subagents",
    ]);
  });

  test("programs that speak the Agent Client Protocol become agents, without their secrets", async () => {
    const { value, left, variables } = await importFiles({
      "config.yaml": `tool_groups: []
acp_agents:
  coder: { command: npx, args: ["-y", coder-acp], description: writes, env: { CODER_KEY: $MY_KEY, TOKEN: s3cret-token-1 }, auto_approve_permissions: true, model: m }
  quiet: { command: quiet, auto_approve_permissions: false, timeout_seconds: 60 }
  broken: { description: no command }\n`,
    });
    expect(value.agents).toEqual([
      {
        name: "coder",
        description: "writes",
        acp: { command: "npx", args: ["-y", "coder-acp"], env: { CODER_KEY: "${MY_KEY}", TOKEN: "${TOKEN}" } },
      },
      { name: "quiet", acp: { command: "quiet" } },
    ]);
    expect(variables.map(({ name }) => name)).toEqual(["MY_KEY", "TOKEN"]);
    expect(left.map((line) => line.split(" (")[0])).toEqual([
      'auto_approve_permissions of agent "coder"',
      'model of agent "coder"',
      'timeout_seconds of agent "quiet"',
      'agent "broken"',
    ]);
  });

  test.each([
    [
      "searxng.tools:t",
      'base_url: "http://127.0.0.1:8088/"',
      { url: "http://127.0.0.1:8088/search?q={query}&format=json" },
    ],
    [
      "brave.tools:t",
      "api_key: $MY_BRAVE",
      {
        url: "https://api.search.brave.com/res/v1/web/search?q={query}",
        headers: { "X-Subscription-Token": "${MY_BRAVE}" },
      },
    ],
    [
      "serper.tools:t",
      "api_key: s3cret",
      { url: "https://google.serper.dev/search?q={query}", headers: { "X-API-KEY": "${SERPER_API_KEY}" } },
    ],
  ])("web_search of %s keeps its search engine", async (use, more, web) => {
    const { value, left, text } = await importFiles({
      "config.yaml": `tools: [{ name: web_search, group: web, use: "deerflow.community.${use}", ${more}, max_results: 3 }]\n`,
    });
    expect(value.search).toEqual({ web });
    expect(text).not.toContain("s3cret");
    expect(left).toEqual([expect.stringContaining('max_results of tool "web_search"')]);
  });

  test("an engine that cannot be asked here is told with the built-in tool that would ask another", async () => {
    const { left } = await importFiles({
      "config.yaml": 'tools: [{ name: web_search, use: "deerflow.community.tavily.tools:t" }]\n',
    });
    expect(left).toEqual([expect.stringContaining("the built-in web_search is like it; name its search engine")]);
  });

  test("guardrails that list tools become rules; others, and every other section that is on, are told", async () => {
    const lists = (config: string) =>
      importFiles({
        "config.yaml": `${TOOLS}guardrails: { enabled: true, provider: { use: "deerflow.guardrails.builtin:AllowlistProvider", config: ${config} } }\n`,
      });
    const denied = ["bash", "create", "apply_patch", "str_replace_based_edit_tool"];
    expect((await lists("{ denied_tools: [bash, write_file] }")).value.permissions).toEqual({ deny: denied });
    expect((await lists("{ allowed_tools: [read_file, ls] }")).value.includeTools).toEqual(["view"]);
    const { value, left } = await importFiles({
      "config.yaml": `config_version: 34\ntool_groups: []\nlog_level: info
guardrails: { enabled: true, provider: { use: "mine:Guard" } }
authorization: { enabled: false }
memory: { enabled: true, max_facts: 9 }
summarization: { enabled: true }
title: { enabled: false, max_words: 6 }
sandbox: { use: "deerflow.sandbox.local:LocalSandboxProvider", mounts: [] }
tool_search: { enabled: true, auto_promote_top_k: 2 }\n`,
      "extensions_config.json": { ...SERVERS, mcpInterceptors: ["a:b"], middlewares: [] },
    });
    expect(value).toMatchObject({ features: { memory: true }, toolSearch: "on" });
    expect(value.authorization).toBe(undefined);
    expect(left.map((line) => line.split(" (")[0])).toEqual([
      "guardrails",
      "max_facts of memory",
      "use of sandbox",
      "auto_promote_top_k of tool_search",
      "config_version, log_level",
      "summarization",
      "mcpInterceptors",
    ]);
  });

  test("agents with folders of their own carry over with the prompt of SOUL.md, each name once", async () => {
    const files = {
      "config.yaml": `${TOOLS}models: [{ name: big, model: claude-x }]\n`,
      "agents/writer/config.yaml":
        "description: writes\nmodel: big\ntool_groups: [web]\nskills: [style]\ngithub: { bindings: [{ repo: a/b }] }\n",
      "agents/writer/SOUL.md": "You write.\n",
      ".deer-flow/users/me/agents/mine/config.yaml": "description: mine\n",
      ".deer-flow/agents/mine/config.yaml": "description: shared\n",
      ".deer-flow/agents/odd/config.yaml": "a: [\n",
      ".deer-flow/SOUL.md": "Be kind.",
    };
    const { value, left } = await importFiles(files);
    expect(value.agents).toEqual([
      { name: "mine", description: "mine" },
      {
        ...{ name: "writer", description: "writes", prompt: "You write.", model: "claude-x" },
        ...{ toolGroups: ["web"], skills: ["style"] },
        tools: ["fetch_page", "view_image", "ask_user", "todo", "skill", "task"],
      },
    ]);
    expect(left.map((line) => line.split(": ")[0]).slice(-3)).toEqual([
      'tool "bash" (config.yaml:5)',
      'agent "mine" (.deer-flow/agents/mine/config.yaml:1)',
      'github of agent "writer" (agents/writer/config.yaml:5)',
    ]);
    expect(left).toContainEqual(expect.stringContaining('agent "odd" (.deer-flow/agents/odd/config.yaml:1): '));
    expect(left).toContainEqual(expect.stringContaining("belongs in AGENTS.md"));
    const { "config.yaml": _, ...alone } = files;
    expect((await importFiles(alone)).files).toEqual([]);
  });
});
