/** What matters about a character for hidden text, as bits. */
export const KIND = {
  known: 1,
  /** Never legitimate in a definition or a result, in any context. */
  hidden: 1 << 1,
  lineBreak: 1 << 2,
  directionMark: 1 << 3,
  rightToLeft: 1 << 4,
  /** Legitimate only in certain contexts. */
  joiner: 1 << 5,
  wordBreak: 1 << 6,
  selector: 1 << 7,
  /** Selectors that belong after symbols, and after ideographs. */
  styles: 1 << 8,
  variesIdeographs: 1 << 9,
  /** The characters that those belong to. */
  pictograph: 1 << 10,
  joinsEmoji: 1 << 11,
  symbol: 1 << 12,
  joinsScript: 1 << 13,
  breaksWords: 1 << 14,
  takesStyle: 1 << 15,
  ideograph: 1 << 16,
} as const;

const TESTS: readonly (readonly [number, RegExp])[] = [
  [
    KIND.hidden,
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for.
    /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u115f\u1160\u17b4\u17b5\u180e\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff0-\ufffb\p{Noncharacter_Code_Point}]|\u034f|[\u{1d159}\u{1d173}-\u{1d17a}]|[\u{e0000}-\u{e00ff}\u{e01f0}-\u{e0fff}]|[\u{1bca0}-\u{1bca3}]|[\u{13430}-\u{1343f}]|\p{Surrogate}/u,
  ],
  [KIND.lineBreak, /[\u0085\u2028\u2029]/u],
  [KIND.directionMark, /[\u061c\u200e\u200f]/u],
  [KIND.rightToLeft, /(?!\u061c)[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u],
  [KIND.joiner, /[\u200c\u200d]/u],
  [KIND.wordBreak, /\u200b/u],
  [KIND.selector, /\p{Variation_Selector}/u],
  [KIND.styles, /[\ufe00-\ufe0f\u180b-\u180d]/u],
  [KIND.variesIdeographs, /[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u],
  [KIND.pictograph, /\p{Extended_Pictographic}/u],
  [KIND.joinsEmoji, /[\p{Extended_Pictographic}\p{Emoji_Modifier}]/u],
  [KIND.symbol, /[\p{Emoji}\p{S}]/u],
  [
    KIND.joinsScript,
    /(?![\u061c\p{Variation_Selector}])[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{M}]/u,
  ],
  [KIND.breaksWords, /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u],
  [KIND.takesStyle, /(?!\p{Variation_Selector})[\p{Emoji}\p{S}\p{Script=Mongolian}]/u],
  [KIND.ideograph, /\p{Script=Han}/u],
];

/** By code point, filled on demand: a text may have millions of characters, but few different ones. */
let kinds: Uint32Array | null = null;

/** The bits of every code point that `classify` has seen. */
export function knownKinds(): Uint32Array {
  kinds ??= new Uint32Array(0x110000);
  return kinds;
}

export function kindOfCharacter(point: number): number {
  const character = String.fromCodePoint(point);
  let kind: number = KIND.known;
  for (const [bit, test] of TESTS) if (test.test(character)) kind |= bit;
  knownKinds()[point] = kind;
  return kind;
}
