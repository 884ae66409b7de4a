import type { Inspection } from "../tool/inspect-tool.ts";
import type { Tool } from "../tool/tool.ts";
import type { ContinuedText } from "./continued-text.ts";
import type { Looks } from "./look-alikes.ts";
import type { Remarks } from "./remarks.ts";
import type { ToldAbout } from "./told-about.ts";
import type { NameClaim } from "./wire-name.ts";

/** A tool together with what the catalog found out about it. */
export interface Entry extends Inspection {
  readonly tool: Tool;
  /** `server/tool` for MCP tools, the source's own name for others. Pins and people use it. */
  readonly identity: string;
  /** The configured id, or else the identity. */
  readonly id: string;
  readonly wireName: string;
  /** A built-in that is off here: it owns no name, and is hidden. */
  readonly off: boolean;
  /** The tool that owns this name instead, as people write it; null when this tool owns it. */
  readonly nameOwner: string | null;
  /** The tool whose name this one could be mistaken for. */
  readonly lookAlikeOf: string | null;
  /** A tool of another server that this description gives orders about. */
  readonly toldAbout: ToldAbout | null;
  /** Text it forms together with other tools of its server. */
  readonly continued: ContinuedText | null;
  /** Naming and look-alike results for this definition, reused by the next catalog. */
  readonly claim: NameClaim;
  readonly looks: Looks;
  readonly remarks: Remarks | null;
}
