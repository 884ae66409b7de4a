/**
 * Every code that Toolcrib prints, in one table. `docs/reference/codes.md` is checked against it both ways.
 * An error ends a command, a notice is told once beside the answer, a reason stands in a tool's trace.
 */
export const CODES = {
  "agent.bound": { kind: "error", means: "a client asks for another agent than the one it is bound to" },
  "agent.coordinator-only": {
    kind: "reason",
    means: "the tool is for agents that direct others, and the selected one does not (A4)",
  },
  "agent.default-excluded": {
    kind: "reason",
    means: "`defaultAgent.excludedTools` names the tool and no agent is selected (A2)",
  },
  "agent.disallowed": { kind: "reason", means: "the selected agent's `disallowedTools` names the tool (A1)" },
  "agent.dynamic-context": {
    kind: "reason",
    means: "the tool is only for dynamic context, and no agent is selected (A2)",
  },
  "agent.file-invalid": { kind: "notice", means: "an agent file has no usable front matter; that agent is left out" },
  "agent.not-listed": { kind: "reason", means: "the selected agent's `tools` do not name the tool (A1)" },
  "agent.top-level-incompatible": {
    kind: "reason",
    means: "the tool only works below the top level, and a custom agent is selected (A1)",
  },
  "agent.unheeded": {
    kind: "notice",
    means: "the selected agent's file says something about its calls that does not count here",
  },
  "agent.unknown": { kind: "error", means: "the selected agent does not exist (A1)" },
  "audit.not-found": { kind: "error", means: "there is no log of calls at that place" },
  "audit.not-written": { kind: "notice", means: "the log of calls could not be written; calls go on" },
  "budget.deferred": { kind: "reason", means: "deferred to `tool_search` because the toolset is large (D1)" },
  "budget.over-cap": { kind: "reason", means: "deferred because the model takes no more tools (D3)" },
  "builtin.off": { kind: "reason", means: "the built-in tool is not among those that `builtins` chooses" },
  "call.lingering": {
    kind: "notice",
    means: "a call was told to stop and its handler has not; calls that need what it uses wait (X5)",
  },
  "capability.missing": { kind: "reason", means: "the host or client lacks something that the tool needs (G2)" },
  "client.invalid": { kind: "error", means: "a client of the gateway asks for what cannot be read" },
  "config.elsewhere": {
    kind: "error",
    means: "what should be turned on is kept off by another file than the one that can be changed here",
  },
  "config.folder-missing": { kind: "notice", means: "a further folder does not exist; it is left out" },
  "config.foreign-invalid": {
    kind: "notice",
    means: "another product's file cannot be read; its servers are not known",
  },
  "config.env-file": {
    kind: "notice",
    means: "a server's `envFile`, or a variable in it, does not count; the text says why",
  },
  "config.foreign-servers": {
    kind: "notice",
    means: "other products' files of the workspace have servers that the configuration does not",
  },
  "config.invalid": {
    kind: "error",
    means: "a configuration file or an option of a program has a wrong key, type or value",
  },
  "config.not-found": { kind: "error", means: "a configuration file that was named does not exist or cannot be read" },
  "config.not-used": { kind: "notice", means: "a setting is read and nothing uses it yet" },
  "config.policy-held": {
    kind: "notice",
    means: "managed policy decides this, so the value of a lower layer does not count",
  },
  "config.syntax": { kind: "error", means: "a configuration file is not valid YAML or JSON" },
  "config.untrusted": {
    kind: "notice",
    means: "a project file sets something that counts only in a trusted workspace",
  },
  "config.variable-unset": { kind: "notice", means: "a `${VAR}` is not set; the server that uses it is left out" },
  "deny-rule.matched": { kind: "reason", means: "a deny rule without an argument pattern names the tool (G12)" },
  "dialect.too-many-tools": {
    kind: "notice",
    means: "more tools are sent than the provider takes, because the model's `maxTools` says more",
  },
  "dialect.unknown": { kind: "error", means: "a program asks for a provider's dialect that does not exist" },
  "dialect.unread-reply": {
    kind: "error",
    means: "nothing of a model's reply can be read in the dialect of its request, as when it is another provider's",
  },
  "duplicate.name-taken": { kind: "reason", means: "another tool owns the name (N5, N7, G14)" },
  "eval.invalid": {
    kind: "error",
    means: "a file to measure on cannot be read, or one of its lines is not as it should be",
  },
  "extension.invalid": { kind: "notice", means: "an extension cannot be started as it is described; it is left out" },
  "extension.name-taken": {
    kind: "notice",
    means: "a found extension has the name of a configured one; the configured one is used",
  },
  "feature.off": { kind: "reason", means: "the tool's feature flag is off or absent (G1)" },
  "file.exists": { kind: "error", means: "a file or an entry of it is there already and would be replaced" },
  "file.not-written": { kind: "error", means: "a file could not be written" },
  "filter.ambiguous": { kind: "notice", means: "a name in a list has a second possible meaning (I1)" },
  "filter.dead": { kind: "notice", means: "an entry of a list changes nothing: what it says holds without it" },
  "filter.disabled": {
    kind: "notice",
    means: "names of `excludeTools` that take tools away, for those who watch a session",
  },
  "filter.empty-include": { kind: "error", means: "`includeTools` is an empty list (F4)" },
  "filter.excluded": { kind: "reason", means: "`excludeTools` names the tool (F1, F2)" },
  "filter.limited": {
    kind: "reason",
    means: "managed policy, or the client's token or address, narrows to other tools",
  },
  "filter.no-tools": {
    kind: "error",
    means:
      "the include and exclude lists leave no tool (F4), or a request is restricted to tools that it does not send",
  },
  "filter.not-in-scene": {
    kind: "notice",
    means: "a list asks for a tool that is known, but that another gate hides in this scene (I3)",
  },
  "filter.not-included": { kind: "reason", means: "`includeTools` is set and does not name the tool (F1, F6)" },
  "filter.pending": {
    kind: "notice",
    means: "a list names a configured server whose tools are not listed yet, or that waits for trust (I3)",
  },
  "filter.unknown-name": { kind: "notice", means: "a list names something that no tool, toolset or server has (I3)" },
  "grant.not-found": { kind: "error", means: "no kept approval has that id" },
  "group.not-listed": { kind: "reason", means: "`toolGroups` is set and the tool's group is not in it (G6)" },
  "group.unknown": { kind: "notice", means: "`toolGroups` names a group that nothing declares" },
  "hook.failed": {
    kind: "notice",
    means: "a hook failed, timed out or could not be started; `onFailure` says what that means for the call",
  },
  "hook.invalid": { kind: "notice", means: "a hook of another product's settings cannot be used; it is left out" },
  "hook.message": { kind: "notice", means: "what a hook says to people (`systemMessage`)" },
  "hook.missing": { kind: "notice", means: "the program of a hook is not where it should be, or may not be run" },
  "host-shell.no-sandbox": {
    kind: "reason",
    means: "the tool runs host commands, and neither a sandbox nor `allowHostShell` is there (G5)",
  },
  "http.cannot-listen": { kind: "error", means: "the address of the gateway is in use or cannot be listened on" },
  "http.forbidden": { kind: "error", means: "this token opens `/mcp` and nothing else" },
  "http.foreign-host": {
    kind: "error",
    means: "a request names a Host that this server does not answer to, as DNS rebinding does",
  },
  "http.foreign-origin": { kind: "error", means: "a page of another origin sent a request" },
  "http.invalid-request": { kind: "error", means: "a request is not what its address takes" },
  "http.method": { kind: "error", means: "an address does not take requests of this method" },
  "http.not-found": { kind: "error", means: "nothing is at an address, or not any more" },
  "http.too-large": { kind: "error", means: "the body of a request is larger than it may be" },
  "http.too-many": { kind: "error", means: "one token sends more than it may, or too many listen at once" },
  "http.unauthorized": { kind: "error", means: "a request comes without a token, or with one that is not known" },
  "internal.bug": { kind: "error", means: "something that must not happen did; please report it" },
  "mcp.disconnected": { kind: "error", means: "an MCP server ended, or lost its connection, while a call was running" },
  "mcp.invalid-answer": { kind: "error", means: "an MCP server answered with something that breaks the protocol" },
  "lock.invalid": { kind: "error", means: "`toolcrib.lock` cannot be read, so nothing is started" },
  "login.address-refused": {
    kind: "error",
    means: "an address that an MCP server or its authorization server named may not be used for a login",
  },
  "login.failed": { kind: "error", means: "a login at an MCP server's authorization server did not succeed" },
  "login.not-offered": { kind: "error", means: "an MCP server offers no login that can be done in a browser" },
  "mcp.invalid-server": { kind: "error", means: "an MCP server's entry cannot be used as it is" },
  "mcp.result-too-large": { kind: "error", means: "an MCP server's result is larger than it may be; the call failed" },
  "mcp.unavailable": { kind: "error", means: "an MCP server is not there to take a call; its state says why" },
  "mode.not-read-only": { kind: "reason", means: "the session is planning and the tool can change state (G3)" },
  "mode.only-autopilot": { kind: "reason", means: "the tool only makes sense in autopilot mode (G3)" },
  "mode.only-plan": { kind: "reason", means: "the tool only makes sense in plan mode (G3)" },
  "model.lacks-capability": { kind: "reason", means: "the model lacks a capability that the tool needs (G4)" },
  "model.other-variant": { kind: "reason", means: "the model's tool config picks another form of the tool (G4)" },
  "module.export-missing": {
    kind: "notice",
    means: "a module has no export of the name that `use` gives; that tool is left out (N4)",
  },
  "module.failed": {
    kind: "notice",
    means: "a module threw or did not finish while it was loaded; that tool is left out (N4)",
  },
  "module.invalid-use": {
    kind: "notice",
    means: "a `use` is not of the form `module:export`; that tool is left out (N4)",
  },
  "module.not-a-tool": { kind: "notice", means: "what a module exports is not a tool; it is left out (N4)" },
  "module.not-found": { kind: "notice", means: "a module that `use` names does not exist; that tool is left out (N4)" },
  "module.options-unused": {
    kind: "notice",
    means: "a `use` entry has options, but its export is no function that could take them",
  },
  "permission.allowed": { kind: "reason", means: "allow rules cover everything that the call does (X2)" },
  "permission.approved": { kind: "reason", means: "whoever was asked allowed the call (X2)" },
  "permission.asked": { kind: "reason", means: "an ask rule names the call, or a part of it (X2)" },
  "permission.assignment": {
    kind: "reason",
    means: "a shell command sets a variable that can change what runs, so no allow rule covers it",
  },
  "permission.bypass-off": { kind: "notice", means: "bypass mode is switched off, so the default mode counts" },
  "permission.classified": { kind: "reason", means: "the classifier settled a call that no rule covers (X2)" },
  "permission.client": {
    kind: "reason",
    means: "no rule covers the call, and the MCP client asks its user before it calls (`gateway.approvals`)",
  },
  "permission.denied": { kind: "reason", means: "a deny rule names the call, or a part of it (X2)" },
  "permission.file-not-covered": {
    kind: "reason",
    means: "a shell command reads or writes a file that no `Read` or `Write` rule covers",
  },
  "permission.granted": { kind: "reason", means: "the call was approved before, with these very arguments (X2)" },
  "permission.foreign-invalid": {
    kind: "notice",
    means: "a permission of another product's settings cannot be used; it is left out",
  },
  "permission.hook-allowed": { kind: "reason", means: "a hook allowed the call in place of a person (X2)" },
  "permission.hook-asked": { kind: "reason", means: "a hook wants the call to be asked about (X2)" },
  "permission.inner-command": {
    kind: "reason",
    means: "a shell command runs another command that no allow rule covers",
  },
  "permission.host-tool": {
    kind: "reason",
    means: "the host defined the tool in its own code, and nobody is there to be asked",
  },
  "permission.mode-allowed": { kind: "reason", means: "the mode lets the call run without asking (X2)" },
  "permission.mode-denied": { kind: "reason", means: "the mode does not let the call run (X2)" },
  "permission.no-handler": { kind: "reason", means: "no rule allows the call, and nobody is there to be asked (X3)" },
  "permission.no-rule": {
    kind: "reason",
    means: "no rule covers the call, or a part of it, so it has to be asked (X2)",
  },
  "permission.nothing-runs": { kind: "reason", means: "the shell command line runs nothing" },
  "permission.protected-path": {
    kind: "reason",
    means: "the call writes where later runs look for programs or settings, which no broad rule covers",
  },
  "permission.read-only": { kind: "reason", means: "the call only reads, and asking about it is not needed (X2)" },
  "permission.refused": { kind: "reason", means: "whoever was asked did not allow the call (X2)" },
  "permission.risky-option": {
    kind: "reason",
    means: "an option runs a program, writes a file or changes where programs are found, which no prefix rule covers",
  },
  "permission.plan": { kind: "reason", means: "a plan waits for approval, with which plan mode ends" },
  "permission.skipped": { kind: "reason", means: "the tool is defined to need no permission, and may say so (X2)" },
  "permission.unknown-address": {
    kind: "reason",
    means: "a command fetches an address that only the shell knows, and rules name addresses",
  },
  "permission.unknown-name": { kind: "reason", means: "the name of a shell command is not plain text" },
  "permission.unreadable": {
    kind: "reason",
    means: "a shell command line cannot be read with certainty, or is larger than anybody can judge",
  },
  "pin.unknown": { kind: "error", means: "nothing by that name waits to be approved" },
  "pin.untrusted": { kind: "error", means: "servers cannot be looked at, because their workspace is not trusted" },
  "policy.server-denied": { kind: "reason", means: "organisation policy denies the tool's server (G7)" },
  "policy.server-not-allowed": {
    kind: "reason",
    means: "organisation policy lists the allowed servers, and this is none of them (G7)",
  },
  "policy.tool-denied": { kind: "reason", means: "organisation policy denies the tool (G7)" },
  "process.input-closed": {
    kind: "error",
    means: "a process ended or closed its input before it took what was written",
  },
  "process.not-found": { kind: "error", means: "the program of a command does not exist" },
  "process.not-started": { kind: "error", means: "a program exists and could not be started" },
  "rule.dead": { kind: "notice", means: "a permission rule can never match anything" },
  "rule.invalid": { kind: "error", means: "a permission rule cannot be read" },
  "rule.repeated": { kind: "notice", means: "a permission rule is there twice, or beside a wider one" },
  "rule.shadowed": { kind: "notice", means: "a stricter permission rule means everything that this one means" },
  "sandbox.gap": { kind: "notice", means: "something in the workspace that the sandbox does not protect" },
  "sandbox.protected-link": {
    kind: "error",
    means: "a protected path of the workspace is a symbolic link, so no command can run in the sandbox",
  },
  "sandbox.required": { kind: "error", means: "`sandbox.shell` is `on`, and no sandbox works here, so nothing is run" },
  "sandbox.unavailable": {
    kind: "notice",
    means: "no sandbox works here, so tools that run commands are hidden unless `allowHostShell` is set (G5)",
  },
  "search.denied": {
    kind: "notice",
    means: "`tool_search` is denied, so only the model's tool cap defers tools, and nothing can find them (D1)",
  },
  "server-filter.not-listed": { kind: "reason", means: "the server's `tools` list does not name the tool (G8)" },
  "server.failed": { kind: "notice", means: "a server could not be started or reached, so its tools are missing (C4)" },
  "server.needs-auth": { kind: "notice", means: "a server wants proof of who asks, so its tools are missing" },
  "server.stale": { kind: "notice", means: "a server is in trouble, and its last good list of tools is kept (C4)" },
  "server.starting": { kind: "notice", means: "a server was not ready in time, so its tools are missing (C4)" },
  "server.unknown": { kind: "error", means: "no server has that name" },
  "session.closed": { kind: "error", means: "a session that is closed was asked to change" },
  "session.refresh-failed": {
    kind: "notice",
    means: "a change of the tools could not be taken over, so what stood before stays (E2, N5)",
  },
  "skill.invalid": { kind: "notice", means: "a skill cannot be read; it is left out" },
  "skill.invalid-prompt": {
    kind: "notice",
    means: "a prompt of a skill cannot be read; it is left out, the skill stays",
  },
  "skill.invalid-tool": { kind: "notice", means: "a tool of a skill cannot be read; it is left out, the skill stays" },
  "skill.not-allowed": {
    kind: "reason",
    means: "an active skill restricts tools, and this one is not among them (G11)",
  },
  "skill.not-found": { kind: "notice", means: "a skill directory does not exist or holds no skill" },
  "skill.overridden": {
    kind: "notice",
    means: "a skill of a later directory has the same name and takes the place of an earlier one",
  },
  "skill.unknown": { kind: "notice", means: "`disabledSkills`, an agent or a call names a skill that does not exist" },
  "tool.invalid": { kind: "error", means: "a tool definition passed to the library is malformed" },
  "tool.invalid-schema": { kind: "reason", means: "the input schema is not of JSON Schema type `object` (N8)" },
  "tool.lookalike": { kind: "reason", means: "the name looks like another tool's name (N9)" },
  "tool.name-conflict": {
    kind: "error",
    means: "an external tool has a built-in's name without `overridesBuiltInTool` (N5)",
  },
  "tool.name-mismatch": {
    kind: "notice",
    means: "a module tool is called otherwise than its entry says; its own name counts (N3)",
  },
  "tool.not-found": { kind: "error", means: "no tool has that name" },
  "tool.quarantined": {
    kind: "notice",
    means: "a definition says something that it should not, so the tool waits for a person to look at it (G13)",
  },
  "tool.suspicious": {
    kind: "notice",
    means: "a definition claims something that does not fit, or wants to be chosen over others; the tool stays usable",
  },
  "toolset.empty": { kind: "notice", means: "no tool is left for this run (F4)" },
  "toolset.over-cap": {
    kind: "notice",
    means: "more tools are permitted than the model takes; the rest is deferred (D3)",
  },
  "toolset.shadows": {
    kind: "notice",
    means: "a toolset has the name of a tool, server or shipped toolset, and is what the name means (I1)",
  },
  "toolset.unknown-member": { kind: "notice", means: "a toolset names a member that does not exist (F5)" },
  "trust.changed": {
    kind: "reason",
    means: "the definition or launch spec differs from the one pinned in `toolcrib.lock` (G13)",
  },
  "trust.hidden-text": { kind: "reason", means: "the definition holds invisible or control characters (G13)" },
  "trust.invalid-name": { kind: "reason", means: "the name has characters that no honest name needs (N11)" },
  "trust.quarantined": {
    kind: "reason",
    means: "a scan of the definition found something that a person has to look at first (G13)",
  },
  "trust.remote-ref": {
    kind: "reason",
    means: "the input schema of an untrusted tool points at another document (G13)",
  },
  "trust.reserved-name": { kind: "reason", means: "the name is a member of every JavaScript object (N11)" },
  "trust.schema-too-deep": { kind: "reason", means: "the input schema is nested too deeply (G13)" },
  "trust.schema-too-large": { kind: "reason", means: "the definition is too large (G13)" },
  "trust.unapproved": { kind: "reason", means: "the pinned definition was never approved (G13)" },
  "trust.unpinned": { kind: "reason", means: "a lock file exists and the tool is not in it (G13)" },
  "trust.unsafe-schema": { kind: "reason", means: "the input schema could harm whoever reads it (G13)" },
  "up.no-socket": { kind: "error", means: "there is no safe place for the socket of a running Toolcrib" },
  "up.not-running": { kind: "error", means: "no Toolcrib runs for the workspace" },
  "up.not-started": { kind: "error", means: "a Toolcrib in the background did not start" },
  "up.refused": { kind: "error", means: "a running Toolcrib refuses what it was asked" },
  "up.running": { kind: "error", means: "a Toolcrib runs for the workspace already" },
  "up.silent": { kind: "error", means: "a running Toolcrib does not answer" },
  "usage.invalid": { kind: "error", means: "the command line is wrong" },
  "world.invalid": { kind: "error", means: "a world file has the wrong shape" },
  "world.not-found": { kind: "error", means: "a world file does not exist or cannot be read" },
  "world.unknown-key": { kind: "notice", means: "a world file has a key that nothing reads" },
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
