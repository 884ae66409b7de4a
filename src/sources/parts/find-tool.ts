import { toSignature } from "../../core/tool/inspect-tool.ts";
import type { Tool } from "../../core/tool/tool.ts";

/**
 * The tool among the source's current ones, if it is still the one asked for: the same object, or one that reads the
 * same to a model. Another definition under the same name is another tool.
 */
export function findListed(tools: readonly Tool[], asked: Tool): Tool | null {
  const wanted = asked.original ?? asked;
  const namesakes = tools.filter(({ name }) => name === wanted.name);
  if (namesakes.includes(wanted)) return wanted;
  if (namesakes.length === 0) return null;
  const signature = toSignature(wanted);
  return namesakes.find((tool) => toSignature(tool) === signature) ?? null;
}
