/** What a call does, in the terms of Copilot's permission requests. */
export type PermissionKind = "shell" | "write" | "read" | "url" | "mcp" | "custom-tool" | "plan" | "hook";
