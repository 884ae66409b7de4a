import type { GatewayConfig } from "../../../../config/config.ts";
import type { ApprovalSettings } from "../../../../config/shape/approvals-shape.ts";
import type { Person } from "../../../../core/people/person.ts";
import type { SlackAccounts } from "../../../../runtime/approvals/slack-accounts.ts";
import type { AuditNote } from "../../../../runtime/audit/audit-row.ts";
import type { Redactor } from "../../../../runtime/audit/redact-value.ts";
import type { Approvals } from "../../../../runtime/crib/crib.ts";
import type { BrowserSessions, PeopleRows } from "../../../../runtime/people/contract.ts";
import type { Cookies } from "../pages/cookies.ts";

/** Calls that wait for people, and how they are to be asked. */
export interface ApprovalPorts {
  readonly queue: Approvals;
  /** As they are now. */
  readonly settings: () => ApprovalSettings;
  /** Removes secrets. */
  readonly redactor: () => Redactor;
}

/** What the paths of approvals work with. */
export interface ApprovalsRoom extends ApprovalPorts {
  /** An origin. */
  readonly publicUrl: string;
  readonly auth: () => GatewayConfig["auth"];
  readonly cookies: Cookies;
  readonly browsers: BrowserSessions;
  readonly people: Pick<PeopleRows, "find">;
  readonly accounts: SlackAccounts;
  /** Whether a login of the person still counts: the identity provider has not refused to confirm it. */
  readonly isConfirmed: (person: Person) => Promise<boolean>;
  readonly loginAddress: (back: string) => string;
  readonly note: (note: AuditNote) => void;
  readonly onError: (text: string, error: unknown) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}
