import type { FoundGuards } from "../../../config/with-guards.ts";
import type { SessionSql } from "../../../sources/host.ts";
import type { CallManner, Source } from "../../../sources/source.ts";
import type { OpenSession } from "../tools/session.ts";
import type { SessionSetting } from "../tools/setting.ts";

/** Where a surface of ours differs from a session that a program opens. */
export interface SurfaceSetting extends Omit<Partial<SessionSetting>, "database"> {
  /** How calls are run that somebody outside this process answers. */
  readonly external?: CallManner;
  /** Stands in front of servers, such as to change what a call says about itself. */
  readonly server?: (server: Source) => Source;
  /** Stands in front of the database of a session, or in its place. */
  readonly database?: (own: SessionSql) => SessionSql;
  /** A configuration that takes away from what the options say; asked whenever they change. */
  readonly guards?: () => FoundGuards | null;
  /** Gets the session behind the one that a program holds, before anything runs in it. */
  readonly opened?: (session: OpenSession) => void;
}
