import type { IncomingMessage, ServerResponse } from "node:http";
import type { Profile } from "../../../runtime/crib/crib.ts";
import type { PersonRow } from "../../../runtime/people/contract.ts";
import type { Actor } from "../api/actor.ts";
import type { HttpAccess } from "./principals.ts";

/** People of a company's gateway, as the door sees them: their tokens, and the paths that need none. */
export interface PeoplePort {
  /** Where clients read who gives out tokens: the address of the metadata about `/mcp`. */
  readonly metadata: string;
  /** What answers at a path of its own, before any token is looked at; null: nothing. */
  route(path: string): PeopleRoute | null;
  /** Who a token belongs to, if that was confirmed a short while ago; null: ask. */
  known(token: string, digest: string): Bearer | null;
  /** Everybody who has come in. */
  list(): Promise<readonly PersonRow[]>;
  /** Who is at the browser that asks, by its cookie; null for nobody. Throws if that cannot be known now. */
  visitor(request: IncomingMessage): Promise<Actor | null>;
  /** Who a token belongs to; null if it does not count. Throws if that cannot be known now. */
  ask(token: string, digest: string, caller: CallerPlace): Promise<Bearer | null>;
  /** The gateway's own token, which is for emergencies here, was used or refused. */
  noteMain(request: IncomingMessage, caller: CallerPlace, isTaken: boolean): void;
  /** A client's token was refused where only people and the gateway's own token are let in. */
  noteBearer(request: IncomingMessage, caller: CallerPlace, principal: string): void;
  /** Follows a changed configuration. Throws, and changes nothing, if it cannot be used. */
  setAccess(access: HttpAccess): void;
  close(): Promise<void>;
}

/** One path for people or for programs that log in for them. It checks by itself who asks. */
export interface PeopleRoute {
  /** Pages of any origin may ask, because nothing here depends on a cookie or on where the browser is. */
  readonly anyOrigin: boolean;
  answer(request: IncomingMessage, response: ServerResponse, caller: CallerPlace): Promise<void>;
}

/** Where a request comes from, for limits and the log. */
export interface CallerPlace {
  /** The caller's address, as the nearest proxy that is trusted saw it. */
  readonly address: string;
}

/** The owner of a token, and how far it reaches. */
export interface Bearer {
  readonly profile: Profile;
  /** Null: no scope limits it. */
  readonly scopes: readonly TokenScope[] | null;
  /** Whether its access has ended since it came in; never if absent. */
  readonly isOver?: () => boolean;
}

/** What a token can be for. Roles are none of them: they change without a new login (O3). */
export const SCOPES = ["tools:read", "tools:call"] as const;
type TokenScope = (typeof SCOPES)[number];
