import type { FoundGuards } from "../../../config/with-guards.ts";
import type { BuiltinSource } from "../../../sources/builtin/builtin-source.ts";
import type { SessionSql } from "../../../sources/host.ts";
import type { CallManner, Source } from "../../../sources/source.ts";
import type { AskToken } from "../../../sources/token-port.ts";
import type { Surroundings } from "../../../system/surroundings.ts";
import type { HiddenValues } from "../../../system/text/hidden-values.ts";
import type { CompactionForm } from "../../loop/loop-session.ts";
import type { OpenSession } from "../tools/session.ts";

/** Where a surface wants executor and loop to behave otherwise, as data; what is absent is Toolcrib's own way. */
export interface RunProfile {
  /** Several questions about calls may be open at once. */
  readonly asksAtOnce?: boolean;
  /** Hooks see a call before its tool is looked up, also one of a tool that is not there. */
  readonly hooksFirst?: boolean;
  /** How calls are run that somebody outside this process answers. */
  readonly external?: CallManner;
  /** Built-in tools in other words: names of arguments, texts of results. */
  readonly dialect?: (builtins: BuiltinSource) => Source;
  /** Gets tokens that servers want; people log in by the command line if absent. */
  readonly askToken?: AskToken;
  /** Stands in front of servers, such as to change what a call says about itself. */
  readonly server?: (server: Source) => Source;
  /** Stands in front of the database of a session, or in its place. */
  readonly database?: (own: SessionSql) => SessionSql;
  /** Keeps a result that is too long for a model and says what that reads instead. */
  readonly storeLong?: (text: string) => Promise<string>;
  readonly compaction?: CompactionForm;
  /** Values that nobody may learn from an event, stored or told. */
  readonly hidden?: HiddenValues;
  /** How often a request to the model is made before its failure is told. */
  readonly attempts?: number;
  /** A configuration that takes away from what the options say; asked anew whenever they change. */
  readonly guards?: () => FoundGuards | null;
  /** Gets to see the session behind the one that a program holds, before anything runs in it. */
  readonly opened?: (session: OpenSession) => void;
}

/** Everything that a session takes from its process, and how its surface wants it to behave. */
export interface SessionSurroundings extends Surroundings {
  readonly profile?: RunProfile | undefined;
}
