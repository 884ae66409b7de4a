/** The kinds of data that ship with Toolcrib. */
export const FILTER_KINDS = {
  email: "mail addresses",
  phone: "telephone numbers with the code of a country, in the North American way, or in a field of such a name",
  card: "numbers of payment cards, by network, length and check digit (Luhn)",
  iban: "account numbers, by country, length and check digits",
  "national-id":
    "numbers that countries give to people, by their check digits; those that are only digits also need a word for them in front",
  secret: "keys and tokens of known services, signed tokens, passwords in addresses, private keys",
  "private-key": "private keys alone",
} as const;
export type FilterKind = keyof typeof FILTER_KINDS;
