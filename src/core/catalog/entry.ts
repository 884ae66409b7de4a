import { type Inspection, inspectTool, type KeptInspection } from "../tool/inspect-tool.ts";
import type { Tool } from "../tool/tool.ts";
import type { ContinuedText } from "./continued-text.ts";
import type { Looks } from "./look-alikes.ts";
import type { Remarks } from "./remarks.ts";
import type { ToldAbout } from "./told-about.ts";
import { type NameClaim, toIdentity } from "./wire-name.ts";

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

/** What a catalog knows of a tool before it looks at the others. */
type Known = Pick<Entry, "tool" | "wireName" | "off" | "claim" | "looks" | "remarks"> & {
  readonly inspection: KeptInspection;
};

/** What an entry says about its neighbours in the catalog. */
export type Neighbours = Pick<Entry, "nameOwner" | "lookAlikeOf" | "toldAbout" | "continued">;

/** Catalogs hold many tools and few are asked about, so what can be worked out later is. */
class CatalogEntry implements Entry {
  readonly tool: Tool;
  readonly wireName: string;
  readonly off: boolean;
  readonly nameOwner: string | null;
  readonly lookAlikeOf: string | null;
  readonly toldAbout: ToldAbout | null;
  readonly continued: ContinuedText | null;
  readonly claim: NameClaim;
  readonly looks: Looks;
  readonly remarks: Remarks | null;
  readonly inspection: KeptInspection;
  #identity: string | null = null;

  constructor(known: Known, neighbours: Neighbours) {
    this.tool = known.tool;
    this.wireName = known.wireName;
    this.off = known.off;
    this.nameOwner = neighbours.nameOwner;
    this.lookAlikeOf = neighbours.lookAlikeOf;
    this.toldAbout = neighbours.toldAbout;
    this.continued = neighbours.continued;
    this.claim = known.claim;
    this.looks = known.looks;
    this.remarks = known.remarks;
    this.inspection = known.inspection;
  }

  get identity(): string {
    this.#identity ??= toIdentity(this.tool);
    return this.#identity;
  }

  get id(): string {
    return this.tool.id ?? this.identity;
  }

  get flaws(): Inspection["flaws"] {
    return this.inspection.flaws;
  }

  get scanned(): boolean {
    return this.inspection.scanned;
  }

  get signature(): string {
    return this.inspection.signature;
  }

  get tokens(): number {
    return this.inspection.tokens;
  }
}

/** What is kept of inspecting an entry's definition. */
export function inspectionOf(entry: Pick<Entry, "tool">): KeptInspection {
  return entry instanceof CatalogEntry ? entry.inspection : inspectTool(entry.tool);
}

/** An unchanged entry stays the same object, so that everything cached for it remains valid. */
export function settleEntry(known: Known & { readonly earlier: Entry | undefined }, neighbours: Neighbours): Entry {
  const { wireName, claim, off, earlier } = known;
  const named = earlier?.wireName === wireName && earlier.claim === claim;
  const owned =
    earlier?.nameOwner === neighbours.nameOwner &&
    earlier.lookAlikeOf === neighbours.lookAlikeOf &&
    earlier.toldAbout?.identity === neighbours.toldAbout?.identity &&
    earlier.continued?.text === neighbours.continued?.text;
  if (earlier !== undefined && named && owned && earlier.off === off) return earlier;
  return new CatalogEntry(known, neighbours);
}
