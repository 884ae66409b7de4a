/** What a call is about, in the words of Copilot's permission requests. */
export type PermissionKind = "shell" | "write" | "read" | "url" | "mcp" | "custom-tool" | "plan" | "hook";
