import { createInterface } from "node:readline";
import { isRecord } from "../../core/shape/is-record.ts";
import { parseJson } from "../../core/shape/parse-json.ts";
import { SAMPLE_TOOLS } from "./sample-tools.ts";

/**
 * A small MCP server on stdio that ships with Toolcrib, so that there is something to try without any configuration. It
 * implements the protocol itself, because it must start at once, with nothing but Node.
 */
type Message = Readonly<Record<string, unknown>>;

const VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

const GUIDE = `# What this is

This server ships with Toolcrib as a sample. Toolcrib stands in front of it: it lists its tools beside its own built-in
ones, decides which of them a client may see, and runs every call through the same rules.

Put your own servers behind it: "toolcrib add NAME -- COMMAND ARGS", or "toolcrib init" to take over what other
products have configured.
`;

const PROMPT = {
  name: "plan_meeting",
  title: "Plan a meeting across time zones",
  description: "Finds a time that suits people in two places",
  arguments: [
    { name: "here", description: "your time zone", required: true },
    { name: "there", description: "theirs", required: true },
  ],
};

class Refusal extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

function answer(method: string, params: Message): Message {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: VERSIONS.find((version) => version === params.protocolVersion) ?? VERSIONS[0],
        capabilities: { tools: {}, resources: {}, prompts: {} },
        serverInfo: { name: "toolcrib-sample", title: "Toolcrib's sample", version: "1.0.0" },
        instructions: "Exact answers about times, dates and texts. Needs no network.",
      };
    case "ping":
      return {};
    case "tools/list":
      return { tools: SAMPLE_TOOLS.map(({ definition }) => definition) };
    case "tools/call":
      return callTool(params);
    case "resources/list":
      return {
        resources: [{ uri: "sample://guide", name: "guide", title: "What this is", mimeType: "text/markdown" }],
      };
    case "resources/templates/list":
      return { resourceTemplates: [] };
    case "resources/read":
      if (params.uri !== "sample://guide") throw new Refusal(-32002, "there is no such resource");
      return { contents: [{ uri: "sample://guide", mimeType: "text/markdown", text: GUIDE }] };
    case "prompts/list":
      return { prompts: [PROMPT] };
    case "prompts/get":
      return getPrompt(params);
    default:
      throw new Refusal(-32601, `there is no method ${method}`);
  }
}

function callTool({ name, arguments: given }: Message): Message {
  const tool = SAMPLE_TOOLS.find(({ definition }) => definition.name === name);
  if (tool === undefined) throw new Refusal(-32602, `there is no tool ${String(name)}`);
  try {
    const result = tool.run(isRecord(given) ? given : {});
    return { content: [{ type: "text", text: JSON.stringify(result) }], structuredContent: result };
  } catch (error) {
    return { content: [{ type: "text", text: error instanceof Error ? error.message : String(error) }], isError: true };
  }
}

function getPrompt({ name, arguments: given }: Message): Message {
  if (name !== PROMPT.name) throw new Refusal(-32602, "there is no such prompt");
  const { here = "here", there = "there" } = isRecord(given) ? given : {};
  const text = `I am in ${String(here)}, they are in ${String(there)}. Ask time_in for both and suggest three times on the next weekday at which it is between 9 and 18 o'clock in both places.`;
  return { description: PROMPT.description, messages: [{ role: "user", content: { type: "text", text } }] };
}

function reply(line: string): Message | null {
  const message = parseJson(line);
  if (message === undefined) return { id: null, error: { code: -32700, message: "this is no JSON" } };
  if (!isRecord(message) || typeof message.method !== "string") return null;
  const { id, method, params } = message;
  if (id === undefined) return null;
  try {
    return { id, result: answer(method, isRecord(params) ? params : {}) };
  } catch (error) {
    const code = error instanceof Refusal ? error.code : -32603;
    return { id, error: { code, message: error instanceof Error ? error.message : String(error) } };
  }
}

createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY }).on("line", (line) => {
  const message = line.trim() === "" ? null : reply(line);
  if (message !== null) process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
});
process.stdout.on("error", () => process.exit());
