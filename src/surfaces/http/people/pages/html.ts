/** HTML in which no value becomes a tag or an attribute. */
export interface Html {
  readonly html: string;
}

type Value = string | number | Html | null | readonly Html[];

/** Text is escaped, also between quotes; what `html` made is put in as it is, and null is nothing. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  return { html: parts.reduce((text, part, at) => text + toText(values[at - 1] ?? null) + part) };
}

function toText(value: Value): string {
  if (value === null) return "";
  if (typeof value === "string" || typeof value === "number") return escapeHtml(String(value));
  return "html" in value ? value.html : value.map((each) => each.html).join("");
}

const ESCAPED: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&#39;"],
]);

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => ESCAPED.get(letter) ?? "");
}
