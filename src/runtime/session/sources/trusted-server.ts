import { serverNamed } from "../../../config/servers-of.ts";
import { serverOf, type Tool } from "../../../core/tool/tool.ts";

/** Whether the person who configured a server believes what its tools claim about themselves (X6). */
export function isTrustedServer(tool: Tool, config: Parameters<typeof serverNamed>[0]): boolean {
  const server = serverOf(tool);
  return server !== null && serverNamed(config, server)?.trustAnnotations.value === true;
}
