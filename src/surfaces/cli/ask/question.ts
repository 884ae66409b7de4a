import type { Config } from "../../../config/config.ts";
import type { WireStyle } from "../../../core/catalog/wire-name.ts";
import type { Notice } from "../../../core/codes/reason.ts";
import type { Scene } from "../../../core/scene/scene.ts";
import type { Tool } from "../../../core/tool/tool.ts";
import type { LeftOut, Toolset } from "../../../core/toolset/toolset.ts";
import type { SourceReport } from "../../../runtime/report/source-report.ts";
import type { PastRequest } from "../../../runtime/report/stored-world.ts";

/** Tools and scene of one visibility question, wherever they came from. */
export interface ToolQuestion {
  readonly tools: readonly Tool[];
  readonly scene: Scene;
  readonly wireStyle: WireStyle;
  readonly notices: readonly Notice[];
  /** What is configured and was taken away before it could be a tool. */
  readonly leftOut?: readonly LeftOut[];
  /** What it was read from; none for a world file. */
  readonly config?: Config;
  /** The answer, where a session has worked it out for this very scene. */
  readonly toolset?: Toolset;
  /** Whose toolset that was, where it is one of the past. */
  readonly past?: PastRequest;
  /** How the sources are doing; none where nothing was started. */
  readonly sources?: readonly SourceReport[];
}
