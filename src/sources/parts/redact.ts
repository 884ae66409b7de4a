/** Shorter values are words like `true` or `8080`, and hiding them would only garble the text. */
const SHORTEST = 8;

interface Configured {
  readonly env?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly url?: string;
}

/** Removes the configured secrets of one server or extension from any text about it. */
export function createStatusRedactor(
  { env = {}, headers = {}, url }: Configured,
  inherited: readonly string[] = [],
): (text: string) => string {
  const written = [...Object.values(env), ...Object.values(headers), ...inherited];
  const values = written.flatMap((value) => [value, ...value.split(/\s+/)]);
  if (url !== undefined && URL.canParse(url)) values.push(...new URL(url).searchParams.values());
  const secrets = [...new Set(values.filter((value) => value.length >= SHORTEST))];
  secrets.sort((a, b) => b.length - a.length);
  return (text) => secrets.reduce((clean, secret) => clean.replaceAll(secret, "[hidden]"), text);
}
