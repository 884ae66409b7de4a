import type { Inspection } from "../tool/inspect-tool.ts";
import type { Tool } from "../tool/tool.ts";
import type { ContinuedText } from "./continued-text.ts";
import type { Looks } from "./look-alikes.ts";
import type { ToldAbout } from "./told-about.ts";
import type { NameClaim } from "./wire-name.ts";

/** A tool together with what the catalog found out about it. */
export interface Entry extends Inspection {
  readonly tool: Tool;
  /** `server/tool` for MCP tools, the source's own name otherwise; what pins and people use. */
  readonly identity: string;
  /** The id that was given, or else the identity. */
  readonly id: string;
  readonly wireName: string;
  /** A built-in that is off here: it owns no name, and is hidden. */
  readonly off: boolean;
  /** The tool that owns this name instead, as people write it; null when it is this one. */
  readonly nameOwner: string | null;
  /** The tool whose name this one could be taken for. */
  readonly lookAlikeOf: string | null;
  /** A tool of somebody else that its description gives orders about. */
  readonly toldAbout: ToldAbout | null;
  /** What it says together with others of its server. */
  readonly continued: ContinuedText | null;
  /** What naming and look-alikes worked out for this definition, kept for the next catalog. */
  readonly claim: NameClaim;
  readonly looks: Looks;
}
