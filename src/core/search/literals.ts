import { stem } from "./stem.ts";

/** Text in requests that is no word, and the words that tools use for it: one `PATTERN > WORDS` per line. */
const LITERALS = String.raw`
https?://\S+ > url page
www\.\S+ > url page
[\w.+-]+@[\w-]+\.\w+ > email address
\d{1,3}(?:\.\d{1,3}){3} > ip address
[\w-]+\.(?:com|org|net|io|dev|edu|gov|eu|de|fr|uk) > domain website
[\w-]+\.(?:docx?|odt|rtf) > word document
[\w-]+\.(?:xlsx?|xlsm|ods) > excel sheet spreadsheet
[\w-]+\.(?:csv|tsv) > csv table
[\w-]+\.(?:pptx?|odp) > presentation slide
[\w-]+\.pdf > pdf document
[\w-]+\.(?:png|jpe?g|gif|webp|svg|bmp|heic) > image file
[\w-]+\.(?:mp3|wav|flac|ogg|m4a) > audio file
[\w-]+\.(?:mp4|mov|avi|mkv|webm) > video file
[\w-]+\.(?:md|txt|log|json|ya?ml|toml|ini|conf|env|xml|html?) > file
`;

/** The tools' words for non-words in a request, such as an address or a file name; as stems. */
export function readLiterals(text: string): readonly string[] {
  literals ??= LITERALS.trim()
    .split("\n")
    .map((line) => {
      const [pattern = "", words = ""] = line.split(" > ");
      return {
        pattern: new RegExp(String.raw`(?<![\w.])(?:${pattern})(?![\w-])`, "i"),
        means: words.split(" ").map(stem),
      };
    });
  // Each contains a dot or a slash, which few requests do.
  if (!/\w[./]\w|:\/\//.test(text)) return [];
  return literals.flatMap(({ pattern, means }) => (pattern.test(text) ? means : []));
}

let literals: readonly { readonly pattern: RegExp; readonly means: readonly string[] }[] | null = null;
