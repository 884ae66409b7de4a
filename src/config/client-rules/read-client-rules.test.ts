import { describe, expect, test } from "vitest";
import { importRules } from "../../../test/support/import-files.ts";

const CLAUDE = "~/.claude/settings.json";
const OPENCODE = "~/.config/opencode/opencode.json";
const CODE = "~/.config/Code/User/settings.json";
const POLICY = "~/.gemini/policies/mine.toml";
const RULES = "~/.codex/rules/default.rules";

describe("Claude Code", () => {
  test("rules stay as they are, in the lists where they were", async () => {
    const { allow, ask, deny, left } = await importRules({
      [CLAUDE]: `{
  // mine
  "permissions": {
    "allow": ["Bash(npm run test:*)", "mcp__github__create_issue", "WebFetch(domain:docs.rs)"],
    "ask": ["Bash(git push *)"],
    "deny": ["Read(**/.env)", "Bash(rm"],
    "defaultMode": "acceptEdits",
  },
}`,
    });
    expect(allow).toEqual(["Bash(npm run test:*)", "mcp__github__create_issue", "WebFetch(domain:docs.rs)"]);
    expect(ask).toEqual(["Bash(git push *)"]);
    expect(deny).toEqual(["Read(**/.env)"]);
    expect(left).toEqual([
      expect.stringMatching(/^Bash\(rm \(~\/\.claude\/settings\.json:6\): the rule "Bash\(rm" cannot be read/),
      expect.stringContaining("permissions.defaultMode (~/.claude/settings.json:7): a mode is each client's own"),
    ]);
  });

  test("a path whose start nobody knows is denied everywhere, and allowed nowhere", async () => {
    const permissions = { allow: ["Edit(/src/**)"], deny: ["Read(/secrets/**)"] };
    const { allow, deny, left } = await importRules({ [CLAUDE]: { permissions } });
    expect(allow).toEqual([]);
    expect(deny).toEqual(["Read(~/secrets/**)", "Read(~/.claude/secrets/**)", "Read(./secrets/**)"]);
    expect(left).toEqual([expect.stringContaining("Edit(/src/**)")]);
  });

  test("what a project's files say is of the project", async () => {
    const { rules } = await importRules({
      ".claude/settings.json": { permissions: { deny: ["Read(/secrets/**)"] } },
      ".claude/settings.local.json": { permissions: { allow: ["Bash(make:*)"] } },
    });
    expect(rules.map(({ side, rules: texts }) => [side, ...texts])).toEqual([
      ["project", "Read(/secrets/**)"],
      ["project", "Bash(make:*)"],
    ]);
  });
});

describe("Codex", () => {
  test("prefixes with alternatives, over several lines, and what is no rule by its line", async () => {
    const { allow, ask, deny, left } = await importRules({
      [RULES]: `# mine
prefix_rule(pattern = ["git", ["push", "fetch"]], decision = "prompt", match = ["git push origin"])
prefix_rule(
    pattern=["rm", "-rf"], # never
    decision='forbidden',
    justification = """Use
trash.""",
)
prefix_rule(pattern=["cargo", "test"])
COMMANDS = ["a", "b"]
prefix_rule(pattern=COMMANDS)
host_executable(name = "git", paths = ["/usr/bin/git"])
network_rule(host = "evil.example", protocol = "https", decision = "deny")
prefix_rule(pattern=["echo", "a*b"])
`,
    });
    expect(ask).toEqual(["Bash(git push:*)", "Bash(git fetch:*)"]);
    expect(deny).toEqual(["Bash(rm -rf:*)", "WebFetch(domain:evil.example)"]);
    expect(allow).toEqual(["Bash(cargo test:*)"]);
    expect(left).toEqual([
      expect.stringContaining("host_executable (~/.codex/rules/default.rules:12)"),
      expect.stringContaining('prefix_rule ["echo","a*b"] allow (~/.codex/rules/default.rules:14)'),
      expect.stringContaining("a statement (~/.codex/rules/default.rules:10)"),
      expect.stringContaining("a statement (~/.codex/rules/default.rules:11)"),
    ]);
  });

  test("tools of servers that run without a question", async () => {
    const { allow, ask, left } = await importRules({
      "~/.codex/config.toml": `approval_policy = "never"
[mcp_servers.docs]
command = "x"
default_tools_approval_mode = "approve"
[mcp_servers.docs.tools.write]
approval_mode = "prompt"
`,
    });
    expect({ allow, ask }).toEqual({ allow: ["docs/*"], ask: ["docs/write"] });
    expect(left).toEqual([expect.stringContaining("approval_policy (~/.codex/config.toml")]);
  });
});

describe("Gemini CLI", () => {
  test("settings", async () => {
    const { allow, deny, ask, left, rules } = await importRules({
      "~/.gemini/settings.json": {
        tools: {
          allowed: ["run_shell_command(git status)", "ShellTool(npm test)", "write_file", "replace", "docs__find"],
          exclude: ["web_fetch", "run_shell_command(curl)"],
        },
        mcpServers: { docs: { command: "x", trust: true }, other: { command: "y" } },
        mcp: { excluded: ["bad"] },
      },
    });
    expect(allow).toEqual(["Bash(git status:*)", "Bash(npm test:*)", "Edit(./**)", "docs/find", "docs/*"]);
    expect(deny).toEqual(["bad/*", "WebFetch", "Bash(curl:*)"]);
    expect(ask).toEqual([]);
    expect(left).toEqual([
      expect.stringContaining("tools.allowed: replace"),
      expect.stringContaining("all other commands, by tools.allowed (~/.gemini/settings.json:"),
    ]);
    expect(rules.find((rule) => rule.rules[0] === "Bash(curl:*)")?.change).toContain("takes no notice");
  });

  test("policies: the highest priority counts, and conditions are not lost", async () => {
    const { allow, deny, ask, left } = await importRules({
      [POLICY]: `[[rule]]
toolName = "run_shell_command"
decision = "ask_user"
priority = 10

[[rule]]
toolName = "run_shell_command"
commandRegex = "git (diff|show)"
decision = "allow"
priority = 100

[[rule]]
toolName = "run_shell_command"
commandPrefix = ["npm run", "make "]
decision = "allow"
priority = 5

[[rule]]
mcpName = "github"
toolName = ["delete_repo", "close_issue"]
decision = "deny"
priority = 500

[[rule]]
toolName = "web_fetch"
decision = "allow"
priority = 1
modes = ["yolo"]

[[rule]]
toolName = "write_file"
decision = "deny"
priority = 1
modes = ["plan"]

[[rule]]
toolName = "google_web_search"
decision = "deny"
priority = 1
interactive = false
`,
    });
    expect(allow).toEqual(["Bash(git diff:*)", "Bash(git show:*)"]);
    expect(deny).toEqual(["github/delete_repo", "github/close_issue", "WebSearch"]);
    expect(ask).toEqual([]);
    expect(left).toEqual([
      expect.stringContaining("rule ask run_shell_command (~/.gemini/policies/mine.toml:1)"),
      expect.stringMatching(/npm run\) \(~\/\.gemini\/policies\/mine\.toml:12\): rule ask .*:1\) counts instead/),
      expect.stringMatching(/make \) \(~\/\.gemini\/policies\/mine\.toml:12\): rule ask .*:1\) counts instead/),
      expect.stringContaining("rule allow web_fetch"),
      expect.stringContaining("in plan mode"),
    ]);
  });

  test("a list of allowed commands refuses the others, those of a policy too", async () => {
    const rule =
      '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "git"\ndecision = "allow"\npriority = 100\n';
    const allowed = ["run_shell_command(npm)"];
    const both = await importRules({ "~/.gemini/settings.json": { tools: { allowed } }, [POLICY]: rule });
    expect(both.allow).toEqual(["Bash(npm:*)"]);
    expect(both.left).toContainEqual(
      expect.stringContaining("(git) (~/.gemini/policies/mine.toml:1): all other commands"),
    );
    const core = await importRules({ "~/.gemini/settings.json": { tools: { core: ["read_file"] } }, [POLICY]: rule });
    expect(core.allow).toEqual([]);
  });

  test("a rule in one file takes back what another file allows", async () => {
    const ask = '[[rule]]\ntoolName = "run_shell_command"\ndecision = "ask_user"\npriority = 500\n';
    const allow = `${ask.replace("ask_user", "allow").replace("500", "600")}commandPrefix = "git"\n`;
    const found = await importRules({
      "~/.gemini/settings.json": { tools: { allowed: ["run_shell_command(npm)"] } },
      [POLICY]: `${ask}\n${allow}`,
    });
    expect(found.allow).toEqual(["Bash(git:*)"]);
  });
});

describe("opencode", () => {
  test("the last entry counts, and the rest is asked about anyway", async () => {
    const { allow, ask, deny, left } = await importRules({
      [OPENCODE]: {
        mcp: { my_docs: { type: "local", command: ["x"] } },
        permission: {
          bash: { "*": "ask", "git *": "allow", "git push*": "deny", "ls?": "allow" },
          edit: { "*": "deny", "docs/*.md": "allow" },
          read: { "*": "allow", "*.env": "deny" },
          webfetch: { "https://docs.rs/*": "allow", "*evil*": "deny" },
          my_docs_find: "allow",
          external_directory: "ask",
        },
        agent: { build: { permission: { bash: "allow" } } },
      },
    });
    expect(allow).toEqual(["Bash(git:*)", "Read(./**)", "WebFetch(https://docs.rs/*)", "my_docs/find"]);
    expect(deny).toEqual(["Bash(git push*)", "Edit", "Read(**/*.env)", "WebFetch(/.*evil.*/)"]);
    expect(ask).toEqual([]);
    expect(left).toEqual([
      expect.stringContaining("permission.external_directory"),
      expect.stringContaining("agent.build.permission"),
      expect.stringContaining('permission.bash: "*": ask'),
      expect.stringContaining('here "?" stands for itself'),
      expect.stringMatching(/"docs\/\*\.md": allow .*has no exceptions here/),
    ]);
  });

  test("an entry that a later one takes back allows nothing", async () => {
    const { allow } = await importRules({ [OPENCODE]: { permission: { bash: { "git *": "allow", "*": "ask" } } } });
    expect(allow).toEqual([]);
  });

  test("paths of a project start at the project, and others nowhere", async () => {
    const permission = { edit: { "src/*": "allow", "*.md": "allow", "src/gen*/x": "deny" } };
    const own = await importRules({ "opencode.json": { permission } });
    expect(own).toMatchObject({
      allow: ["Edit(/src/*)", "Edit(./**/*.md)"],
      deny: ["Edit(**/src/gen*/x)", "Edit(**/src/gen*/**)"],
    });
    const home = await importRules({ [OPENCODE]: { permission } });
    expect(home.allow).toEqual(["Edit(./**/*.md)"]);
    expect(home.left).toEqual([expect.stringContaining("at the top of each repository")]);
  });
});

describe("Copilot CLI and VS Code", () => {
  test("approvals are for their folder", async () => {
    const { rules, left } = await importRules({
      "~/.copilot/permissions-config.json": {
        locations: {
          "/home/me/app": {
            tool_approvals: [
              { kind: "commands", commandIdentifiers: ["git add", "make"] },
              { kind: "write" },
              { kind: "mcp", serverName: "github", toolName: null },
              { kind: "memory" },
            ],
          },
          "/home/me/other": { tool_approvals: [{ kind: "write" }] },
        },
      },
      "~/.copilot/config.json": { allowed_urls: ["docs.rs"], denied_urls: ["https://evil.example/x"] },
    });
    expect(rules.map(({ side, list, rules: texts }) => [side, list, ...texts])).toEqual([
      ["project", "allow", "Bash(git add:*)"],
      ["project", "allow", "Bash(make:*)"],
      ["project", "allow", "Edit(./**)"],
      ["project", "allow", "github/*"],
      ["user", "allow", "WebFetch(https://docs.rs/*)"],
      ["user", "deny", "WebFetch(/https:\\/\\/evil\\.example\\/x/)"],
    ]);
    expect(left).toEqual([expect.stringContaining("memory"), expect.stringContaining("/home/me/other")]);
  });

  test("VS Code asks where others deny, and its patterns are words where they can be", async () => {
    const { allow, ask, deny, left } = await importRules({
      [CODE]: {
        "chat.tools.terminal.autoApprove": {
          mkdir: true,
          del: false,
          "/^git (status|diff)\\b/": true,
          "/^cargo test$/": true,
          "/^git (log|show\\b.*)$/": true,
          "/dangerous/": false,
          "/^(?!x)y$/": true,
          "/^ls/": { approve: true, matchCommandLine: true },
          rm: null,
        },
        "chat.tools.urls.autoApprove": {
          "https://*.contoso.com/*": true,
          "https://x.example/": { approveRequest: true, approveResponse: false },
        },
        "chat.tools.edits.autoApprove": { "**/*": true, "**/.env": false, "src/*": true },
      },
    });
    expect(allow).toEqual([
      "Bash(mkdir:*)",
      "Bash(git status:*)",
      "Bash(git diff:*)",
      "Bash(cargo test)",
      "Bash(/(?-s:git (log|show\\b.*))/)",
      "WebFetch(https://*.contoso.com/*)",
      "Edit(./**)",
    ]);
    expect(ask).toEqual(["Bash(del:*)", "Bash(/dangerous/)", "Edit(**/.env)"]);
    expect(deny).toEqual([]);
    expect(left).toEqual([
      expect.stringContaining("rules here are about single commands"),
      expect.stringContaining("what comes back is looked at there"),
      expect.stringContaining("where it starts depends on the workspace"),
      expect.stringContaining("look-around"),
    ]);
  });

  test("a switch that is off approves nothing", async () => {
    const { allow, left } = await importRules({
      [CODE]: { "chat.tools.terminal.autoApprove": { ls: true }, "chat.tools.terminal.enableAutoApprove": false },
    });
    expect(allow).toEqual([]);
    expect(left).toEqual([expect.stringContaining("enableAutoApprove is off")]);
  });
});

test("a file that cannot be read is reported, and the others count", async () => {
  const { allow, left } = await importRules({
    [CLAUDE]: '{"permissions": {"allow": [}',
    [POLICY]: "[[rule]\n",
    [RULES]: 'prefix_rule(pattern=["ls"])\nprefix_rule(pattern=[',
  });
  expect(allow).toEqual(["Bash(ls:*)"]);
  expect(left).toEqual([
    expect.stringMatching(/^the file \(~\/\.claude\/settings\.json:1\): it is not valid/),
    expect.stringMatching(/^the file \(~\/\.gemini\/policies\/mine\.toml:1\): it is not valid/),
    expect.stringContaining("a statement (~/.codex/rules/default.rules:2)"),
  ]);
});
