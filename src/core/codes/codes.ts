/**
 * Every code that Toolcrib prints, in one table. `docs/reference/codes.md` is checked against it both ways.
 * An error ends a command, a notice is reported once beside the answer, a reason is part of a tool's trace.
 */
export const CODES = {
  "agent.bound": { kind: "error", means: "a client asks for an agent other than the one it is bound to" },
  "agent.coordinator-only": {
    kind: "reason",
    means: "the tool is for agents that direct others, and the selected one does not",
  },
  "agent.default-excluded": {
    kind: "reason",
    means: "`defaultAgent.excludedTools` names the tool and no agent is selected",
  },
  "agent.disallowed": { kind: "reason", means: "the selected agent's `disallowedTools` names the tool" },
  "agent.dynamic-context": {
    kind: "reason",
    means: "the tool is only for dynamic context, and no agent is selected",
  },
  "agent.file-invalid": { kind: "notice", means: "an agent file has no usable front matter; that agent is left out" },
  "agent.not-listed": { kind: "reason", means: "the selected agent's `tools` do not name the tool" },
  "agent.top-level-incompatible": {
    kind: "reason",
    means: "the tool only works below the top level, and a custom agent is selected",
  },
  "agent.unheeded": {
    kind: "notice",
    means: "the selected agent's file has a setting about calls that Toolcrib does not use",
  },
  "agent.unknown": { kind: "error", means: "the selected agent does not exist" },
  "audit.not-found": { kind: "error", means: "there is no log of calls at that path" },
  "audit.not-written": { kind: "notice", means: "the log of calls could not be written; calls go on" },
  "budget.deferred": { kind: "reason", means: "deferred to `tool_search` because the toolset is large" },
  "budget.over-cap": { kind: "reason", means: "deferred because the model accepts no more tools" },
  "builtin.off": { kind: "reason", means: "the built-in tool is not among those that `builtins` chooses" },
  "call.lingering": {
    kind: "notice",
    means: "a call was asked to stop but its handler still runs; calls that need the same things wait",
  },
  "capability.missing": { kind: "reason", means: "the host or client lacks something that the tool needs" },
  "client.invalid": { kind: "error", means: "a client of the gateway sent parameters that cannot be read" },
  "config.elsewhere": {
    kind: "error",
    means: "what should be turned on is turned off in a file that cannot be changed from here",
  },
  "config.folder-missing": { kind: "notice", means: "an additional folder does not exist; it is left out" },
  "config.foreign-invalid": {
    kind: "notice",
    means: "another product's file cannot be read; its servers are not known",
  },
  "config.env-file": {
    kind: "notice",
    means: "a server's `envFile`, or a variable in it, is not used; the message says why",
  },
  "config.foreign-servers": {
    kind: "notice",
    means: "files of other products in the workspace have servers that are not in the configuration",
  },
  "config.invalid": {
    kind: "error",
    means: "a configuration file or an option of a program has an unknown key, or a value of the wrong kind",
  },
  "config.not-found": { kind: "error", means: "a configuration file that was named does not exist or cannot be read" },
  "config.not-used": { kind: "notice", means: "nothing uses this setting yet" },
  "config.policy-held": {
    kind: "notice",
    means: "managed policy decides this, so the value from a lower layer is ignored",
  },
  "config.syntax": { kind: "error", means: "a configuration file is not valid YAML or JSON" },
  "config.untrusted": {
    kind: "notice",
    means: "a project file sets something that takes effect only in a trusted workspace",
  },
  "config.variable-unset": { kind: "notice", means: "a `${VAR}` is not set; the server that uses it is left out" },
  "deny-rule.matched": { kind: "reason", means: "a deny rule without an argument pattern names the tool" },
  "dialect.too-many-tools": {
    kind: "notice",
    means: "more tools are sent than the provider accepts, because the model's `maxTools` is higher",
  },
  "dialect.unknown": { kind: "error", means: "a program asks for a dialect that does not exist" },
  "dialect.unread-reply": {
    kind: "error",
    means: "a model's reply cannot be read in the dialect of its request; it may come from another provider",
  },
  "duplicate.name-taken": { kind: "reason", means: "another tool owns the name" },
  "eval.invalid": {
    kind: "error",
    means: "a file of test cases cannot be read, or one of its lines is malformed",
  },
  "extension.invalid": {
    kind: "notice",
    means: "an extension's description is wrong, so it cannot be started; it is left out",
  },
  "extension.name-taken": {
    kind: "notice",
    means: "an extension that was found has the same name as a configured one; the configured one is used",
  },
  "feature.off": { kind: "reason", means: "the tool's feature flag is off or absent" },
  "file.exists": { kind: "error", means: "a file, or an entry in it, already exists and would be replaced" },
  "file.not-written": { kind: "error", means: "a file could not be written" },
  "filter.ambiguous": { kind: "notice", means: "a name in a list could mean two things" },
  "filter.dead": { kind: "notice", means: "an entry of a list has no effect" },
  "filter.disabled": {
    kind: "notice",
    means: "names in `excludeTools` that remove tools; for programs that watch a session",
  },
  "filter.empty-include": { kind: "error", means: "`includeTools` is an empty list" },
  "filter.excluded": { kind: "reason", means: "`excludeTools` names the tool" },
  "filter.limited": {
    kind: "reason",
    means: "managed policy, or the client's token or address, allows other tools only",
  },
  "filter.no-tools": {
    kind: "error",
    means: "the include and exclude lists leave no tool, or a request is restricted to tools that it does not send",
  },
  "filter.not-in-scene": {
    kind: "notice",
    means: "a list names a tool that exists but is hidden here for another reason",
  },
  "filter.not-included": { kind: "reason", means: "`includeTools` is set and does not name the tool" },
  "filter.pending": {
    kind: "notice",
    means: "a list names a configured server whose tools are not listed yet, or that waits for trust",
  },
  "filter.unknown-name": { kind: "notice", means: "a list has a name that no tool, toolset or server has" },
  "grant.not-found": { kind: "error", means: "no saved approval has that id" },
  "group.not-listed": { kind: "reason", means: "`toolGroups` is set and the tool's group is not in it" },
  "group.unknown": { kind: "notice", means: "`toolGroups` names a group that nothing declares" },
  "hook.failed": {
    kind: "notice",
    means: "a hook failed, timed out or could not be started; `onFailure` says what that means for the call",
  },
  "hook.invalid": { kind: "notice", means: "a hook of another product's settings cannot be used; it is left out" },
  "hook.message": { kind: "notice", means: "what a hook says to people (`systemMessage`)" },
  "hook.missing": { kind: "notice", means: "the program of a hook does not exist or is not executable" },
  "host-shell.no-sandbox": {
    kind: "reason",
    means: "the tool runs commands on this machine, there is no sandbox, and `allowHostShell` is off",
  },
  "http.cannot-listen": { kind: "error", means: "the address of the gateway is in use or cannot be listened on" },
  "http.forbidden": { kind: "error", means: "this token opens `/mcp` and nothing else" },
  "http.foreign-host": {
    kind: "error",
    means: "a request has a Host header that this server does not answer to, as in DNS rebinding",
  },
  "http.foreign-origin": { kind: "error", means: "a page of another origin sent a request" },
  "http.invalid-request": { kind: "error", means: "a request does not have the form that its address expects" },
  "http.method": { kind: "error", means: "an address does not support this method" },
  "http.not-found": { kind: "error", means: "there is nothing at an address, or not any more" },
  "http.too-large": { kind: "error", means: "the body of a request is too large" },
  "http.too-many": { kind: "error", means: "one token sends too many requests, or too many clients listen at once" },
  "http.unauthorized": { kind: "error", means: "a request has no token, or an unknown one" },
  "internal.bug": { kind: "error", means: "a bug in Toolcrib; please report it" },
  "mcp.disconnected": { kind: "error", means: "an MCP server ended or lost its connection during a call" },
  "mcp.invalid-answer": { kind: "error", means: "an MCP server answered with something that breaks the protocol" },
  "lock.invalid": { kind: "error", means: "`toolcrib.lock` cannot be read, so nothing is started" },
  "login.address-refused": {
    kind: "error",
    means: "an MCP server or its authorization server named an address that is not safe for a login",
  },
  "login.failed": { kind: "error", means: "a login at an MCP server's authorization server did not succeed" },
  "login.not-offered": { kind: "error", means: "an MCP server offers no login that can be done in a browser" },
  "mcp.invalid-server": { kind: "error", means: "an MCP server's entry cannot be used as written" },
  "mcp.result-too-large": { kind: "error", means: "an MCP server's result is too large; the call failed" },
  "mcp.unavailable": { kind: "error", means: "an MCP server is not available for a call; its state says why" },
  "mode.not-read-only": { kind: "reason", means: "the session is in plan mode and the tool can change something" },
  "mode.only-autopilot": { kind: "reason", means: "the tool only makes sense in autopilot mode" },
  "mode.only-plan": { kind: "reason", means: "the tool only makes sense in plan mode" },
  "model.lacks-capability": { kind: "reason", means: "the model lacks a capability that the tool needs" },
  "model.other-variant": { kind: "reason", means: "for this model another form of the tool is used" },
  "module.export-missing": {
    kind: "notice",
    means: "a module has no export with the name in `use`; that tool is left out",
  },
  "module.failed": {
    kind: "notice",
    means: "a module failed or did not finish loading; that tool is left out",
  },
  "module.invalid-use": {
    kind: "notice",
    means: "a `use` is not of the form `module:export`; that tool is left out",
  },
  "module.not-a-tool": { kind: "notice", means: "what a module exports is not a tool; it is left out" },
  "module.not-found": { kind: "notice", means: "a module that `use` names does not exist; that tool is left out" },
  "module.options-unused": {
    kind: "notice",
    means: "a `use` entry has options, but its export is not a function, so nothing takes them",
  },
  "permission.allowed": { kind: "reason", means: "allow rules cover everything that the call does" },
  "permission.approved": { kind: "reason", means: "whoever was asked allowed the call" },
  "permission.asked": { kind: "reason", means: "an ask rule matches the call, or a part of it" },
  "permission.assignment": {
    kind: "reason",
    means: "a shell command sets a variable that can change what runs, so no allow rule covers it",
  },
  "permission.bypass-off": { kind: "notice", means: "bypass mode is switched off, so the default mode counts" },
  "permission.classified": { kind: "reason", means: "the classifier decided about a call that no rule covers" },
  "permission.client": {
    kind: "reason",
    means: "no rule covers the call, and the MCP client asks its user before it calls (`gateway.approvals`)",
  },
  "permission.denied": { kind: "reason", means: "a deny rule matches the call, or a part of it" },
  "permission.file-not-covered": {
    kind: "reason",
    means: "a shell command reads or writes a file that no `Read` or `Write` rule covers",
  },
  "permission.granted": { kind: "reason", means: "the call was approved before, with exactly these arguments" },
  "permission.foreign-invalid": {
    kind: "notice",
    means: "a permission of another product's settings cannot be used; it is left out",
  },
  "permission.hook-allowed": { kind: "reason", means: "a hook allowed the call in place of a person" },
  "permission.hook-asked": { kind: "reason", means: "a hook wants a person to be asked" },
  "permission.inner-command": {
    kind: "reason",
    means: "a shell command runs another command that no allow rule covers",
  },
  "permission.host-tool": {
    kind: "reason",
    means: "the program defines the tool in its own code, and there is nobody to ask",
  },
  "permission.mode-allowed": { kind: "reason", means: "the mode lets the call run without asking" },
  "permission.mode-denied": { kind: "reason", means: "the mode does not let the call run" },
  "permission.no-handler": { kind: "reason", means: "no rule allows the call, and there is nobody to ask" },
  "permission.no-rule": {
    kind: "reason",
    means: "no rule covers the call, or a part of it, so somebody has to be asked",
  },
  "permission.nothing-runs": { kind: "reason", means: "the shell command line runs nothing" },
  "permission.open-pattern": {
    kind: "reason",
    means: "a file name pattern of a shell command may mean a file that a rule is about",
  },
  "permission.protected-path": {
    kind: "reason",
    means: "the call writes where later runs look for programs or settings; broad rules do not cover that",
  },
  "permission.read-only": { kind: "reason", means: "the call only reads, so nobody has to be asked" },
  "permission.refused": { kind: "reason", means: "whoever was asked did not allow the call" },
  "permission.risky-option": {
    kind: "reason",
    means:
      "an option runs a program, writes a file or changes where programs are found; prefix rules do not cover that",
  },
  "permission.plan": { kind: "reason", means: "a plan waits for approval; plan mode ends when it is approved" },
  "permission.sandboxed": { kind: "reason", means: "it runs in a sandbox, and `permissions.sandboxed` is `allow`" },
  "permission.skipped": { kind: "reason", means: "the tool is defined with `skipPermission`, and is allowed to be" },
  "permission.unknown-address": {
    kind: "reason",
    means: "a command fetches an address that only the shell can compute, and there are rules about addresses",
  },
  "permission.unknown-name": { kind: "reason", means: "the name of a shell command is not plain text" },
  "permission.unreadable": {
    kind: "reason",
    means: "a shell command line cannot be read with certainty, or is too long to judge",
  },
  "pin.unknown": { kind: "error", means: "nothing with that name waits for approval" },
  "pin.untrusted": { kind: "error", means: "the servers cannot be started, because the workspace is not trusted" },
  "policy.server-denied": { kind: "reason", means: "organisation policy denies the tool's server" },
  "policy.server-not-allowed": {
    kind: "reason",
    means: "organisation policy lists the allowed servers, and this is not one of them",
  },
  "policy.tool-denied": { kind: "reason", means: "organisation policy denies the tool" },
  "process.input-closed": {
    kind: "error",
    means: "a process ended, or closed its input, before it read everything",
  },
  "process.not-found": { kind: "error", means: "the program of a command does not exist" },
  "process.not-started": { kind: "error", means: "a program exists but could not be started" },
  "rule.dead": { kind: "notice", means: "a permission rule can never match anything" },
  "rule.invalid": { kind: "error", means: "a permission rule cannot be read" },
  "rule.repeated": { kind: "notice", means: "a permission rule appears twice, or a wider one covers it" },
  "rule.shadowed": { kind: "notice", means: "a stricter permission rule covers everything that this one covers" },
  "sandbox.gap": { kind: "notice", means: "the sandbox cannot protect something in the workspace" },
  "sandbox.not-covered": { kind: "error", means: "files that must not be read can no longer all be covered" },
  "sandbox.protected-link": {
    kind: "error",
    means: "a protected path of the workspace is a symbolic link, so no command can run in the sandbox",
  },
  "sandbox.required": {
    kind: "error",
    means: "`sandbox.shell` is `on`, but no sandbox works here, so no command runs",
  },
  "sandbox.unavailable": {
    kind: "notice",
    means: "no sandbox works here, so tools that run commands are hidden unless `allowHostShell` is set",
  },
  "search.denied": {
    kind: "notice",
    means: "`tool_search` is denied, so only the model's tool cap defers tools, and nothing can find them",
  },
  "server-filter.not-listed": { kind: "reason", means: "the server's `tools` list does not name the tool" },
  "server.failed": { kind: "notice", means: "a server could not be started or reached, so its tools are missing" },
  "server.needs-auth": { kind: "notice", means: "a server wants a login, so its tools are missing" },
  "server.stale": { kind: "notice", means: "a server has a problem; the last list of tools that worked is kept" },
  "server.starting": { kind: "notice", means: "a server was not ready in time, so its tools are missing" },
  "server.unknown": { kind: "error", means: "no server has that name" },
  "session.closed": { kind: "error", means: "a program tried to change a closed session" },
  "session.refresh-failed": {
    kind: "notice",
    means: "a change of the tools could not be applied; the tools from before stay",
  },
  "skill.invalid": { kind: "notice", means: "a skill cannot be read; it is left out" },
  "skill.invalid-prompt": {
    kind: "notice",
    means: "a prompt of a skill cannot be read; it is left out, and the skill stays",
  },
  "skill.invalid-tool": {
    kind: "notice",
    means: "a tool of a skill cannot be read; it is left out, and the skill stays",
  },
  "skill.not-allowed": {
    kind: "reason",
    means: "an active skill restricts tools, and this one is not among them",
  },
  "skill.not-found": { kind: "notice", means: "a skill directory does not exist or holds no skill" },
  "skill.overridden": {
    kind: "notice",
    means: "a skill in a later folder has the same name and replaces an earlier one",
  },
  "skill.unknown": { kind: "notice", means: "`disabledSkills`, an agent or a call names a skill that does not exist" },
  "tool.invalid": { kind: "error", means: "a tool definition passed to the library is malformed" },
  "tool.invalid-schema": { kind: "reason", means: "the input schema is not of JSON Schema type `object`" },
  "tool.lookalike": { kind: "reason", means: "the name looks like another tool's name" },
  "tool.name-conflict": {
    kind: "error",
    means: "a tool of the program has a built-in's name but not `overridesBuiltInTool`",
  },
  "tool.name-mismatch": {
    kind: "notice",
    means: "a module's tool has another name than its entry says; the tool's own name is used",
  },
  "tool.not-found": { kind: "error", means: "no tool has that name" },
  "tool.quarantined": {
    kind: "notice",
    means: "a definition contains something suspicious, so the tool waits until a person has reviewed it",
  },
  "tool.suspicious": {
    kind: "notice",
    means: "a definition makes a claim that does not fit, or promotes itself over other tools; the tool stays usable",
  },
  "toolset.empty": { kind: "notice", means: "no tool is left for this run" },
  "toolset.over-cap": {
    kind: "notice",
    means: "more tools are permitted than the model accepts; the rest are deferred",
  },
  "toolset.shadows": {
    kind: "notice",
    means: "a toolset has the name of a tool, server or shipped toolset; the text says which of them the name means",
  },
  "toolset.unknown-member": { kind: "notice", means: "a toolset names a member that does not exist" },
  "trust.changed": {
    kind: "reason",
    means: "the definition, or how the server is started, differs from what is pinned in `toolcrib.lock`",
  },
  "trust.hidden-text": { kind: "reason", means: "the definition holds invisible or control characters" },
  "trust.invalid-name": { kind: "reason", means: "the name contains characters that no tool name should have" },
  "trust.no-lock": { kind: "notice", means: "there are tools of servers or extensions and no `toolcrib.lock`" },
  "trust.quarantined": {
    kind: "reason",
    means: "a scan of the definition found something that a person has to review first",
  },
  "trust.remote-ref": {
    kind: "reason",
    means: "the input schema refers to another document",
  },
  "trust.reserved-name": {
    kind: "reason",
    means: "the name is reserved: every JavaScript object has a member with it",
  },
  "trust.schema-too-deep": { kind: "reason", means: "the input schema is nested too deeply" },
  "trust.schema-too-large": { kind: "reason", means: "the definition is too large" },
  "trust.unapproved": { kind: "reason", means: "the pinned definition was never approved" },
  "trust.unpinned": { kind: "reason", means: "a lock file exists and the tool is not in it" },
  "trust.unsafe-schema": { kind: "reason", means: "the input schema could harm the program that reads it" },
  "up.no-socket": { kind: "error", means: "there is no safe place for the socket of a running Toolcrib" },
  "up.not-running": { kind: "error", means: "no Toolcrib runs for the workspace" },
  "up.not-started": { kind: "error", means: "a Toolcrib in the background did not start" },
  "up.refused": { kind: "error", means: "a running Toolcrib refused the request" },
  "up.running": { kind: "error", means: "a Toolcrib already runs for the workspace" },
  "up.silent": { kind: "error", means: "a running Toolcrib does not answer" },
  "usage.invalid": { kind: "error", means: "the command line is wrong" },
  "world.invalid": { kind: "error", means: "a world file has the wrong shape" },
  "world.not-found": { kind: "error", means: "a world file does not exist or cannot be read" },
  "world.unknown-key": { kind: "notice", means: "a world file has an unknown key" },
} as const satisfies Record<string, CodeSpec>;

interface CodeSpec {
  readonly kind: "error" | "notice" | "reason";
  readonly means: string;
}

export type Code = keyof typeof CODES;
type CodeOf<Kind> = { [C in Code]: (typeof CODES)[C]["kind"] extends Kind ? C : never }[Code];
export type ErrorCode = CodeOf<"error">;
export type NoticeCode = CodeOf<"notice">;
export type ReasonCode = CodeOf<"reason">;
