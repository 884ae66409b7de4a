import { type Tool, toTool } from "../../../core/tool/tool.ts";
import { failure } from "../../../sources/parts/results.ts";
import { CONNECTED, type Source } from "../../../sources/source.ts";
import type { SessionSpill } from "./spill.ts";

export const READ_RESULT: Tool = toTool({
  name: "read_result",
  description: "Reads a part of an earlier result of this session that was too long to show.",
  inputSchema: {
    type: "object",
    properties: {
      id: { type: "string", description: "The id that stands in the shortened result" },
      offset: { type: "integer", minimum: 0, description: "Byte to start at; 0 if absent" },
      length: { type: "integer", minimum: 1, description: "Bytes to read; as many as can be shown if absent" },
    },
    required: ["id"],
  },
  traits: { readOnly: true, idempotent: true, openWorld: false },
});

/** Reads long results where no file tool can. It is listed from the first of them on, and reads nothing else. */
export function createResultSource(spill: Pick<SessionSpill, "read">, resultBytes: number): Source {
  // What is said around a part takes room too; a part that is too long would be kept and shortened itself.
  const most = Math.max(SMALLEST, Math.floor(resultBytes * 0.8) - SMALLEST);
  return {
    kind: "builtin",
    name: "results",
    status: CONNECTED,
    tools: [READ_RESULT],
    list: async () => [READ_RESULT],
    async run(_tool, { id, offset, length }) {
      const start = typeof offset === "number" ? offset : 0;
      const wanted = typeof length === "number" ? Math.min(length, most) : most;
      const part = await spill.read(String(id), start, wanted);
      if (part === null) return failure("There is no result of that id; take the id from a shortened result.");
      const { text, size, next } = part;
      const more = next < size ? ` Go on with offset ${next}.` : "";
      return { textResultForLlm: `Bytes ${start} to ${next} of ${size}.${more}\n\n${text}`, resultType: "success" };
    },
    changes: () => () => {},
    close: async () => {},
  };
}

/** Bytes; the longest character has four. */
const SMALLEST = 64;
