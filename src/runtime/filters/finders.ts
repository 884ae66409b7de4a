import type { Finder } from "../../core/filters/filter.ts";
import { findCards, findIbans } from "../../core/filters/find-accounts.ts";
import { findEmails, findPhones } from "../../core/filters/find-contacts.ts";
import { findNationalIds } from "../../core/filters/find-national-ids.ts";
import type { FilterKind } from "../../core/filters/kinds.ts";
import { findPrivateKeys, findSecrets } from "../../system/text/secret-forms.ts";

const NEVER = Number.POSITIVE_INFINITY;

/** What looks for each kind that ships. */
export const FINDERS: Readonly<Record<FilterKind, Finder>> = {
  email: { kind: "email", find: findEmails, leastDigits: NEVER },
  phone: { kind: "phone", find: findPhones, leastDigits: 8 },
  card: { kind: "card", find: findCards, leastDigits: 13 },
  iban: { kind: "iban", find: findIbans, leastDigits: NEVER },
  "national-id": { kind: "national-id", find: findNationalIds, leastDigits: 9 },
  secret: { kind: "secret", find: findSecrets, leastDigits: NEVER },
  "private-key": { kind: "private-key", find: findPrivateKeys, leastDigits: NEVER },
};
